//! Values of fixed shape, and how they lie in the columns that Python hands over: a row a game, byte after byte.

/// A number, or an array of values.
pub trait Value: Sized {
    /// Its bytes in a column.
    const SIZE: usize;
    /// NumPy's name for its numbers.
    const DTYPE: &'static str;
    fn shape() -> Vec<usize>;
    fn zero() -> Self;
    fn read(bytes: &[u8]) -> Self;
    fn write(&self, bytes: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty = $dtype:literal,)*) => {$(
        impl Value for $number {
            const SIZE: usize = std::mem::size_of::<$number>();
            const DTYPE: &'static str = $dtype;

            fn shape() -> Vec<usize> {
                Vec::new()
            }

            fn zero() -> Self {
                0 as $number
            }

            #[inline]
            fn read(bytes: &[u8]) -> Self {
                <$number>::from_ne_bytes(bytes.try_into().expect("a row is as long as its value"))
            }

            #[inline]
            fn write(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}

numbers! {
    i8 = "int8",
    i16 = "int16",
    i32 = "int32",
    i64 = "int64",
    u8 = "uint8",
    u16 = "uint16",
    u32 = "uint32",
    u64 = "uint64",
    f32 = "float32",
    f64 = "float64",
}

impl Value for bool {
    const SIZE: usize = 1;
    const DTYPE: &'static str = "bool";

    fn shape() -> Vec<usize> {
        Vec::new()
    }

    fn zero() -> Self {
        false
    }

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }

    #[inline]
    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = u8::from(*self);
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    const SIZE: usize = N * T::SIZE;
    const DTYPE: &'static str = T::DTYPE;

    fn shape() -> Vec<usize> {
        let mut shape = vec![N];
        shape.extend(T::shape());
        shape
    }

    fn zero() -> Self {
        std::array::from_fn(|_| T::zero())
    }

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        std::array::from_fn(|i| T::read(&bytes[i * T::SIZE..(i + 1) * T::SIZE]))
    }

    #[inline]
    fn write(&self, bytes: &mut [u8]) {
        for (value, place) in self.iter().zip(bytes.chunks_exact_mut(T::SIZE.max(1))) {
            value.write(place);
        }
    }
}

/// A column: its name, and the kind of value that a row of it is.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub shape: Vec<usize>,
    pub dtype: &'static str,
    pub size: usize,
}

impl Field {
    pub fn of<T: Value>(name: &str) -> Self {
        Field { name: name.to_string(), shape: T::shape(), dtype: T::DTYPE, size: T::SIZE }
    }
}

/// Several values that are several columns.
pub trait Record: Sized {
    /// How many columns it has.
    const COUNT: usize;
    fn fields() -> Vec<Field>;
    fn read(columns: &[&[u8]], row: usize) -> Self;
    fn write(&self, columns: &mut [&mut [u8]], row: usize);
}

/// A row of a column.
#[inline]
pub fn get<T: Value>(column: &[u8], row: usize) -> T {
    T::read(&column[row * T::SIZE..(row + 1) * T::SIZE])
}

#[inline]
pub fn put<T: Value>(value: &T, column: &mut [u8], row: usize) {
    value.write(&mut column[row * T::SIZE..(row + 1) * T::SIZE]);
}

/// A struct of values, each with the name of its column.
macro_rules! record {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $kind:ty = $column:literal,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl $name {
            /// All numbers 0, all flags false.
            #[allow(dead_code)]
            pub fn zero() -> Self {
                Self { $($field: <$kind as $crate::value::Value>::zero(),)* }
            }
        }

        #[allow(unused_mut, unused_variables)]
        impl $crate::value::Record for $name {
            const COUNT: usize = {
                let names: &[&str] = &[$($column),*];
                names.len()
            };

            fn fields() -> Vec<$crate::value::Field> {
                vec![$($crate::value::Field::of::<$kind>($column)),*]
            }

            #[inline]
            fn read(columns: &[&[u8]], row: usize) -> Self {
                let mut columns = columns.iter();
                Self { $($field: $crate::value::get(columns.next().expect("a column a field"), row),)* }
            }

            #[inline]
            fn write(&self, columns: &mut [&mut [u8]], row: usize) {
                let mut columns = columns.iter_mut();
                $($crate::value::put(&self.$field, columns.next().expect("a column a field"), row);)*
            }
        }
    };
}
pub(crate) use record;
