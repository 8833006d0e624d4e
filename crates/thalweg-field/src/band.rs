//! Rows cut into bands, and the one place where work is spread over threads.
//!
//! With the `rayon` feature the loops run on the current rayon pool; without it they run in order on
//! the calling thread. Whatever they compute must not depend on which of the two happens.

use std::ops::Range;

/// Cuts `rows` into at most `count` bands of nearly equal height, north to south; none is empty.
pub fn split(rows: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let count = count.clamp(1, rows.max(1));
    (0..count).map(move |i| i * rows / count..(i + 1) * rows / count).filter(|band| !band.is_empty())
}

/// Threads that the loops below will use.
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}

/// Calls `work(index, chunk)` for consecutive chunks of `length` values.
pub fn for_each_chunk<T: Send>(values: &mut [T], length: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        values.par_chunks_mut(length).enumerate().for_each(|(index, chunk)| work(index, chunk));
    }
    #[cfg(not(feature = "rayon"))]
    values.chunks_mut(length).enumerate().for_each(|(index, chunk)| work(index, chunk));
}

/// Calls `work(index, item)` once for every item.
pub fn for_each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    for_each_chunk(items, 1, |index, item| work(index, &mut item[0]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_cover_every_row_once() {
        for rows in [0, 1, 2, 7, 64, 1000] {
            for count in [1, 2, 3, 8, 2000] {
                let mut next = 0;
                for band in split(rows, count) {
                    assert_eq!(band.start, next);
                    assert!(band.end > band.start);
                    next = band.end;
                }
                assert_eq!(next, rows, "{rows} rows in {count} bands");
            }
        }
    }
}
