//! Arithmetic of the SM83 as pure functions: (result, flags).

pub const Z: u8 = 0x80;
pub const N: u8 = 0x40;
pub const H: u8 = 0x20;
pub const C: u8 = 0x10;

#[inline(always)]
pub fn zero(value: u8) -> u8 {
    ((value == 0) as u8) << 7
}

#[inline(always)]
pub fn add(a: u8, b: u8, carry: u8) -> (u8, u8) {
    let sum = a as u16 + b as u16 + carry as u16;
    let result = sum as u8;
    (result, zero(result) | (a ^ b ^ result) << 1 & H | (sum >> 4) as u8 & C)
}

#[inline(always)]
pub fn sub(a: u8, b: u8, carry: u8) -> (u8, u8) {
    let difference = (a as u16).wrapping_sub(b as u16).wrapping_sub(carry as u16);
    let result = difference as u8;
    (result, zero(result) | N | (a ^ b ^ result) << 1 & H | (difference >> 4) as u8 & C)
}

#[inline(always)]
pub fn inc(value: u8, flags: u8) -> (u8, u8) {
    let result = value.wrapping_add(1);
    (result, zero(result) | (value ^ result) << 1 & H | flags & C)
}

#[inline(always)]
pub fn dec(value: u8, flags: u8) -> (u8, u8) {
    let result = value.wrapping_sub(1);
    (result, zero(result) | N | (value ^ result) << 1 & H | flags & C)
}

/// Flags without Z, which ADD HL leaves alone.
#[inline(always)]
pub fn add16(a: u16, b: u16) -> (u16, u8) {
    let sum = a as u32 + b as u32;
    let result = sum as u16;
    (result, ((a ^ b ^ result) >> 7) as u8 & H | (sum >> 12) as u8 & C)
}

/// SP plus a signed byte: the carries are those of the low bytes.
#[inline(always)]
pub fn add_signed(sp: u16, offset: u8) -> (u16, u8) {
    let result = sp.wrapping_add_signed(offset as i8 as i16);
    let low = sp as u8;
    let half = (low & 0xF) + (offset & 0xF) > 0xF;
    let carry = low as u16 + offset as u16 > 0xFF;
    (result, (half as u8) << 5 | (carry as u8) << 4)
}

/// RLC, RRC, RL, RR, SLA, SRA, SWAP, SRL, in the order of the opcodes.
#[inline(always)]
pub fn rotate(opcode: u8, value: u8, carry: u8) -> (u8, u8) {
    let (result, out) = match opcode >> 3 & 7 {
        0 => (value.rotate_left(1), value >> 7),
        1 => (value.rotate_right(1), value & 1),
        2 => (value << 1 | carry, value >> 7),
        3 => (value >> 1 | carry << 7, value & 1),
        4 => (value << 1, value >> 7),
        5 => (value >> 1 | value & 0x80, value & 1),
        6 => (value.rotate_left(4), 0),
        _ => (value >> 1, value & 1),
    };
    (result, zero(result) | out << 4)
}

#[inline(always)]
pub fn daa(a: u8, flags: u8) -> (u8, u8) {
    let mut correction = 0;
    let mut carry = flags & C;
    if flags & H != 0 || flags & N == 0 && a & 0xF > 9 {
        correction |= 0x06;
    }
    if carry != 0 || flags & N == 0 && a > 0x99 {
        correction |= 0x60;
        carry = C;
    }
    let result = if flags & N != 0 { a.wrapping_sub(correction) } else { a.wrapping_add(correction) };
    (result, zero(result) | flags & N | carry)
}
