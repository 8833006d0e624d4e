//! A run's state in a file, and back. Files come from anywhere: every number is checked before it is taken up.

use super::Pipes;
use super::guard::Guard;
use super::schedule::Clock;
use thalweg_field::range::{FINITE, NATURAL, all_within};
use thalweg_field::sum::Compensated;

/// A run's state as plain numbers, enough to go on with the same bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Columns and rows of the terrain.
    pub size: [usize; 2],
    /// Steps taken.
    pub step: u64,
    /// Time, time step and the like, in the order of [`Pipes::save`].
    pub numbers: Vec<f64>,
    /// The rows' accounts, five numbers each.
    pub accounts: Vec<f64>,
    /// Rows of the state, ghosts and margins included.
    pub cells: Vec<f32>,
    /// Ground that was painted, water that was scooped out, and the highest bed that may be; none: nobody painted.
    pub painted: Option<[f64; 3]>,
    /// Time in which the fastest water crosses a cell `[s]`; none: nothing flows.
    pub crossing: Option<f64>,
    /// Ground afloat at the beginning, in the solver's heights times cells.
    pub afloat_start: f64,
    /// The time step that was chosen, where an edit made steps shorter since `[s]`.
    pub chosen_dt: Option<f64>,
}

impl Pipes {
    /// Everything needed to go on later.
    pub fn save(&self) -> Saved {
        let (clock, guard, books) = (&self.clock, &self.guard, &self.books);
        let [added, added_rest] = books.added.parts();
        let mut numbers = vec![
            clock.time,
            clock.dt,
            clock.max_depth,
            books.water_start,
            books.bed_start,
            guard.energy_in,
            guard.added_at_last_check,
            guard.eroded_at_last_check,
            added,
            added_rest,
            clock.rain_depth,
            f64::from(guard.lowest),
        ];
        numbers.extend(&clock.rain_carry);
        Saved {
            size: self.backend.size(),
            step: clock.step,
            numbers,
            accounts: self.backend.save_accounts(),
            cells: self.backend.save_cells(),
            painted: self.is_painted.then_some([books.painted, books.scooped, self.highest.into()]),
            crossing: clock.crossing.is_finite().then_some(clock.crossing),
            afloat_start: books.afloat_start,
            chosen_dt: (clock.chosen_dt != clock.dt).then_some(clock.chosen_dt),
        }
    }

    /// Goes back to a saved state of the same scene. The text says why not: it does not fit this terrain, or a number in it
    /// makes no sense; nothing changes then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), String> {
        let converted = self.backend.of_version_0_1(&saved.cells);
        let cells = converted.as_ref().unwrap_or(&saved.cells);
        self.check_numbers(saved, cells)?;
        self.take_up(saved)?;
        self.backend.restore(cells, &saved.accounts);
        Ok(())
    }

    /// Looks at every number; `cells` are those of the state as this version has them.
    fn check_numbers(&self, saved: &Saved, cells: &[f32]) -> Result<(), String> {
        let fits = saved.size == self.backend.size()
            && self.backend.fits(cells, &saved.accounts)
            && saved.numbers.len() == NUMBERS + self.clock.rain_carry.len();
        if !fits {
            return Err(misfit());
        }
        // Time, time step, deepest water, water at the beginning; then sums that may have either sign.
        let (natural, either) = saved.numbers.split_at(4);
        all_within("its time, time step or depth,", natural, &NATURAL)?;
        all_within("its account,", either, &FINITE)?;
        all_within("account of row", &saved.accounts, &FINITE)?;
        all_within("the time to cross a cell,", saved.crossing.as_slice(), &NATURAL)?;
        all_within("the ground afloat at the beginning,", &[saved.afloat_start], &FINITE)?;
        all_within("its painted ground,", saved.painted.as_slice().as_flattened(), &FINITE)?;
        all_within("the time step that was chosen,", saved.chosen_dt.as_slice(), &NATURAL)?;
        self.backend.check_cells(cells)
    }

    /// Takes up all but the cells and their accounts.
    fn take_up(&mut self, saved: &Saved) -> Result<(), String> {
        let &[
            time,
            dt,
            max_depth,
            water_start,
            bed_start,
            energy_in,
            added_at_last_check,
            eroded_at_last_check,
            added,
            added_rest,
            rain_depth,
            lowest,
            ref rain_carry @ ..,
        ] = saved.numbers.as_slice()
        else {
            return Err(misfit());
        };
        self.clock = Clock {
            step: saved.step,
            time,
            dt,
            chosen_dt: saved.chosen_dt.unwrap_or(dt),
            max_depth,
            rain_depth,
            crossing: saved.crossing.unwrap_or(f64::INFINITY),
            end: self.clock.end,
            rain_carry: rain_carry.to_vec(),
        };
        (self.books.water_start, self.books.bed_start) = (water_start, bed_start);
        self.books.afloat_start = saved.afloat_start;
        self.books.added = Compensated::from_parts([added, added_rest]);
        let watch = self.guard.watch;
        let lowest = lowest as f32;
        self.guard = Guard { watch, energy_in, added_at_last_check, eroded_at_last_check, lowest };
        if let Some([painted, scooped, highest]) = saved.painted {
            (self.books.painted, self.books.scooped, self.highest) = (painted, scooped, highest as f32);
            self.is_painted = true;
        }
        Ok(())
    }
}

/// Numbers before those of the rains.
const NUMBERS: usize = 12;

fn misfit() -> String {
    "its state does not fit the terrain".to_owned()
}
