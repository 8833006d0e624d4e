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

/// Something that can be cut in two at a place: slices, and groups of slices that are cut at the same place.
pub trait Cut: Sized + Send {
    /// What lies before the place, and what lies from it on.
    fn cut(self, at: usize) -> (Self, Self);
}

impl Cut for () {
    fn cut(self, _: usize) -> (Self, Self) {
        ((), ())
    }
}

impl<T: Send> Cut for &mut [T] {
    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<T: Sync> Cut for &[T] {
    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

/// Rows of cells one after the other, which are cut between rows.
#[derive(Debug)]
pub struct Lines<'a, T> {
    /// The values of all rows.
    pub values: &'a mut [T],
    /// Values of one row.
    pub length: usize,
}

impl<T: Send> Cut for Lines<'_, T> {
    fn cut(self, at: usize) -> (Self, Self) {
        let (before, after) = self.values.split_at_mut(at * self.length);
        (Self { values: before, length: self.length }, Self { values: after, length: self.length })
    }
}

impl<A: Cut, const N: usize> Cut for [A; N] {
    fn cut(self, at: usize) -> (Self, Self) {
        let mut behind: [Option<A>; N] = std::array::from_fn(|_| None);
        let mut places = behind.iter_mut();
        let before = self.map(|part| {
            let (before, after) = part.cut(at);
            if let Some(place) = places.next() {
                *place = Some(after);
            }
            before
        });
        (before, behind.map(|part| part.expect("as many parts behind as before")))
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.cut(at), self.1.cut(at));
        ((a, b), (c, d))
    }
}

impl<A: Cut, B: Cut, C: Cut> Cut for (A, B, C) {
    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, d), (b, e), (c, f)) = (self.0.cut(at), self.1.cut(at), self.2.cut(at));
        ((a, b, c), (d, e, f))
    }
}

/// Goes on among the threads that the loops use: loops that follow one another then start without waking anybody first.
pub fn enter<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "rayon")]
    return rayon::scope(|_| work());
    #[cfg(not(feature = "rayon"))]
    return work();
}

/// Does both, side by side if there are threads for it.
pub fn join<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "rayon")]
    return rayon::join(first, second);
    #[cfg(not(feature = "rayon"))]
    return (first(), second());
}

/// Calls `work(first, parts)` for consecutive parts of at most `length` items out of `range`; `parts` are cut along.
/// Nothing is allocated.
pub fn for_each_part<P: Cut>(
    range: Range<usize>,
    length: usize,
    parts: P,
    work: &(impl Fn(Range<usize>, P) + Sync),
) {
    if !range.is_empty() {
        measure_parts(range, length, parts, work, &|(), ()| ());
    }
}

/// The same, and combines what `work` returns; always the same parts in the same order, so that sums have the same bits for any
/// number of threads.
pub fn measure_parts<P: Cut, T: Send>(
    range: Range<usize>,
    length: usize,
    parts: P,
    work: &(impl Fn(Range<usize>, P) -> T + Sync),
    combine: &(impl Fn(T, T) -> T + Sync),
) -> T {
    let count = range.len();
    if count <= length.max(1) {
        return work(range, parts);
    }
    // Halves of whole parts, so that parts are the same for any number of threads.
    let half = (count.div_ceil(length) / 2) * length;
    let (before, after) = parts.cut(half);
    let middle = range.start + half;
    let (a, b) = join(
        || measure_parts(range.start..middle, length, before, work, combine),
        || measure_parts(middle..range.end, length, after, work, combine),
    );
    combine(a, b)
}

/// Combines what `measure` finds in consecutive parts of at most `length` items; always the same parts in the same
/// order, so that sums have the same bits for any number of threads.
pub fn measure<T: Send>(
    range: Range<usize>,
    length: usize,
    measure_part: &(impl Fn(Range<usize>) -> T + Sync),
    combine: &(impl Fn(T, T) -> T + Sync),
) -> T {
    measure_parts(range, length, (), &|range, ()| measure_part(range), combine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_once_and_are_cut_along() {
        let mut values = [[0usize; 1000], [0; 1000]];
        let [a, b] = &mut values;
        for_each_part(0..1000, 64, [&mut a[..], &mut b[..]], &|range, [a, b]: [&mut [usize]; 2]| {
            assert!(range.len() <= 64 && range.start % 64 == 0 && a.len() == range.len());
            for (i, (a, b)) in range.zip(a.iter_mut().zip(b)) {
                (*a, *b) = (*a + i, *b + 2 * i);
            }
        });
        assert!(values[0].iter().enumerate().all(|(i, &v)| v == i));
        assert!(values[1].iter().enumerate().all(|(i, &v)| v == 2 * i));
        let sum = measure(0..1000, 7, &|range| range.sum::<usize>(), &|a, b| a + b);
        assert_eq!(sum, 499_500);
        let sum_of = |_, part: &[usize]| part.iter().sum::<usize>();
        assert_eq!(measure_parts(0..1000, 7, &values[1][..], &sum_of, &|a, b| a + b), 999_000);
    }

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
