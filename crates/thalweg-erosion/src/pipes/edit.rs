//! Changes while water flows: other parameters, other weather, and cells that somebody paints.

use super::Pipes;
use super::backend::{Backend, Quantity};
use super::error::StepError;
use super::params::Params;
use super::weather::Weather;
use thalweg_field::{Heightfield, Invalid, Region, require};

impl Pipes {
    /// Takes other parameters from the next step on.
    pub fn set_params(&mut self, params: &Params) -> Result<(), Invalid> {
        params.validated()?;
        let own = &self.model.params;
        let remedy = "it cannot change while water flows; start the scene anew with it";
        require(params.neighbours == own.neighbours, "neighbours", params.neighbours, remedy)?;
        let unit = format!("{:?}", params.height_unit);
        require(params.height_unit == own.height_unit, "height_unit", unit, remedy)?;
        let before = std::mem::replace(&mut self.model.params, params.clone());
        let steps = |p: &Params| (p.gravity, p.area, p.pipe_area, p.counterflow, p.dt, p.safety, p.max_dt);
        if steps(params) == steps(&before) {
            return Ok(());
        }
        if let Err(error) = self.keep_stable() {
            self.model.params = before;
            let value = format!("{} s", params.dt.unwrap_or_default());
            return Err(Invalid { key: "dt".into(), value, remedy: error.to_string() });
        }
        // Energy is counted by weight, so that another gravity makes it another.
        self.watch_anew();
        Ok(())
    }

    /// Takes shorter steps at once where those that were chosen are not stable any more, and those again where they are; longer
    /// ones come when they are next chosen.
    fn keep_stable(&mut self) -> Result<(), StepError> {
        let mut chosen = self.clock.clone();
        chosen.choose_dt(&self.model, self.deepest(), self.guard.watch)?;
        let Params { dt, max_dt, .. } = self.model.params;
        let longest = self.max_dt().min(max_dt);
        let stays = dt.is_none() && self.clock.chosen_dt <= longest;
        self.clock.dt = if stays { self.clock.chosen_dt } else { chosen.dt };
        Ok(())
    }

    /// Begins to watch over the energy anew.
    fn watch_anew(&mut self) {
        let survey = self.backend.survey(&self.model, self.clock.dt);
        self.guard.begin_again(&survey, &self.backend.account(), self.books.added.value());
    }

    /// Takes other weather from the next step on; the water that stands at the beginning stood then. `ground` is of the
    /// shape that it has.
    pub fn set_weather(&mut self, ground: &Heightfield, weather: &Weather) -> Result<(), Invalid> {
        let [cols, rows] = self.backend.size();
        weather.validated(cols, rows)?;
        self.backend.set_weather(ground, &self.model, weather)?;
        self.clock.rain_carry.resize(weather.rain.len(), 0.0);
        Ok(())
    }

    /// A quantity of some cells, in the solver's own heights.
    pub fn cells(&self, quantity: Quantity, region: &Region) -> Vec<f32> {
        self.backend.cells(quantity, region)
    }

    /// Metres of one of its own heights.
    pub fn metres(&self, quantity: Quantity, height: f32) -> f64 {
        self.datum_of(quantity) + self.model.unit * f64::from(height)
    }

    fn datum_of(&self, quantity: Quantity) -> f64 {
        if quantity == Quantity::Bed { self.model.datum } else { 0.0 }
    }

    /// Sets bed or depth of some cells, in the solver's own heights. The books count what comes and goes, and steps are as short
    /// as deeper water needs them. Heights that are no numbers, water less than none, and water too deep for a fixed time step are
    /// refused; nothing changes then.
    pub fn set_cells(&mut self, quantity: Quantity, region: &Region, values: &[f32]) -> Result<(), Invalid> {
        if region.is_empty() {
            return Ok(());
        }
        let paintable = quantity != Quantity::Sediment;
        require(paintable, "painted", "sediment", "bed and water can be painted")?;
        let natural = |v: &&f32| v.is_finite() && (quantity == Quantity::Bed || **v >= 0.0);
        let strange = values.iter().find(|v| !natural(v));
        let remedy = "heights are finite numbers, and water is not less than none";
        require(strange.is_none(), "painted", strange.copied().unwrap_or_default(), remedy)?;
        let before = self.backend.cells(quantity, region);
        let (clock, deepest) = (self.clock.clone(), self.deepest());
        self.backend.set_cells(quantity, region, values);
        if quantity == Quantity::Depth {
            let deepest = self.backend.map(Quantity::Depth, |_, _, depth| depth as f32).range();
            self.clock.max_depth = deepest.map_or(0.0, |(_, deepest)| f64::from(deepest) * self.model.unit);
        }
        let stable = if self.deepest() == deepest { Ok(()) } else { self.keep_stable() };
        if let Err(error) = stable {
            self.backend.set_cells(quantity, region, &before);
            self.clock = clock;
            let remedy = error.to_string();
            return Err(Invalid { key: "painted".into(), value: "too deep".into(), remedy });
        }
        self.book(quantity, &before, values);
        self.watch_anew();
        Ok(())
    }

    fn book(&mut self, quantity: Quantity, before: &[f32], after: &[f32]) {
        self.is_painted = true;
        let gained: f64 = after.iter().zip(before).map(|(&now, &was)| f64::from(now) - f64::from(was)).sum();
        match quantity {
            Quantity::Depth if gained < 0.0 => self.books.scooped -= gained,
            Quantity::Depth => self.books.added.add(gained),
            Quantity::Bed => {
                self.books.painted += gained;
                let highest = after.iter().fold(0.0, |highest: f32, height| highest.max(height.abs()));
                self.highest = self.highest.max(2.0 * highest);
            }
            Quantity::Sediment => {}
        }
    }
}
