//! Counting bytes, fast.

/// How many of `bytes` are `wanted`.
///
/// A sum of bytes over no more than 255 of them cannot overflow, and the compiler turns it into
/// vector instructions: several times faster than `filter(..).count()`, on a path that sees every
/// byte of every file.
pub(super) fn count(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    let in_part = |part: &[u8]| part.iter().map(|&byte| u8::from(wanted(byte))).sum::<u8>();
    bytes.chunks(255).map(|part| usize::from(in_part(part))).sum()
}
