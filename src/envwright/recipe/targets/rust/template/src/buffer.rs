//! NumPy's arrays, borrowed as bytes through Python's buffer protocol. The only unsafe code is here.

use crate::value::Field;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

/// An array that Python keeps alive and in place as long as this is there.
pub struct Buffer {
    view: Box<ffi::Py_buffer>,
    writable: bool,
}

impl Buffer {
    /// An array to read from, of `lead` rows (games, or games and steps) of a field.
    pub fn input(array: &Bound<'_, PyAny>, lead: &[usize], field: &Field) -> PyResult<Self> {
        Self::borrow(array, lead, field, false)
    }

    /// An array to write into.
    pub fn output(array: &Bound<'_, PyAny>, lead: &[usize], field: &Field) -> PyResult<Self> {
        Self::borrow(array, lead, field, true)
    }

    /// Arrays for all these fields.
    pub fn all(arrays: &[Bound<'_, PyAny>], lead: &[usize], fields: &[Field], writable: bool) -> PyResult<Vec<Self>> {
        if arrays.len() != fields.len() {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let (wanted, given) = (fields.len(), arrays.len());
            return Err(PyValueError::new_err(format!(
                "{wanted} arrays are expected ({}), but {given} are given",
                names.join(", ")
            )));
        }
        arrays.iter().zip(fields).map(|(array, field)| Self::borrow(array, lead, field, writable)).collect()
    }

    fn borrow(array: &Bound<'_, PyAny>, lead: &[usize], field: &Field, writable: bool) -> PyResult<Self> {
        let flags = ffi::PyBUF_C_CONTIGUOUS | ffi::PyBUF_FORMAT | if writable { ffi::PyBUF_WRITABLE } else { 0 };
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: `view` is released once, in `drop`; Python has a live array in `array`.
        if unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), &mut *view, flags) } != 0 {
            let error = PyErr::fetch(array.py());
            return Err(PyValueError::new_err(format!("{} is no array that can be used: {error}", field.name)));
        }
        let buffer = Buffer { view, writable };
        let wanted: Vec<usize> = lead.iter().chain(&field.shape).copied().collect();
        let (shape, dtype) = (buffer.shape(), buffer.dtype());
        if shape != wanted || dtype != field.dtype {
            return Err(PyValueError::new_err(format!(
                "{} is expected to be {} of shape {wanted:?}, but is {dtype} of shape {shape:?}",
                field.name, field.dtype
            )));
        }
        Ok(buffer)
    }

    fn shape(&self) -> Vec<usize> {
        // SAFETY: a contiguous buffer has a shape of `ndim` numbers.
        (0..self.view.ndim as usize).map(|i| unsafe { *self.view.shape.add(i) } as usize).collect()
    }

    /// NumPy's name for the numbers in it.
    fn dtype(&self) -> String {
        let format = match self.view.format.is_null() {
            true => "B",
            // SAFETY: a format is a string that ends with 0 and lives as long as the view.
            false => unsafe { std::ffi::CStr::from_ptr(self.view.format) }.to_str().unwrap_or(""),
        };
        let kind = match format {
            "?" => return "bool".to_string(),
            "b" | "h" | "i" | "l" | "q" | "n" => "int",
            "B" | "H" | "I" | "L" | "Q" | "N" => "uint",
            "e" | "f" | "d" => "float",
            other => return format!("of the unknown kind '{other}'"),
        };
        format!("{kind}{}", 8 * self.view.itemsize)
    }

    pub fn bytes(&self) -> &[u8] {
        let length = self.view.len as usize;
        if length == 0 {
            return &[]; // where an empty array lies does not matter, and may be nowhere
        }
        // SAFETY: contiguous, so `len` bytes from `buf`, alive as long as the view.
        unsafe { std::slice::from_raw_parts(self.view.buf.cast(), length) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.writable);
        let length = self.view.len as usize;
        if length == 0 {
            return &mut [];
        }
        // SAFETY: as above; asked for as writable, and `apart` has made sure that no other view overlaps it.
        unsafe { std::slice::from_raw_parts_mut(self.view.buf.cast(), length) }
    }

    fn place(&self) -> std::ops::Range<usize> {
        let begin = self.view.buf as usize;
        begin..begin + self.view.len as usize
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: buffers live in functions that Python calls, outside of where it is let go of, so it is held here.
        unsafe { ffi::PyBuffer_Release(&mut *self.view) }
    }
}

/// Refuses arrays that are written to and share memory with others.
pub fn apart(buffers: &[&Buffer]) -> PyResult<()> {
    for (i, one) in buffers.iter().enumerate() {
        for other in &buffers[..i] {
            let (a, b) = (one.place(), other.place());
            if (one.writable || other.writable) && a.start < b.end && b.start < a.end {
                return Err(PyValueError::new_err("two of the arrays share memory; give each its own"));
            }
        }
    }
    Ok(())
}
