//! Which particle or triangle is nearest at each sample of a picture, worked out for a few rows at a time.
//!
//! Nothing is lit here: what is seen where costs a few numbers for each sample, and light is the dearer part.

use glam::{DVec2, DVec3, Vec2, Vec3};
use thalweg_field::band;

use super::things::{Thing, Things};
use crate::{Lens, View};

/// Rows of a picture that are worked on together `[px]`.
pub(crate) const ROWS: usize = 8;

/// Where the samples of a pixel lie.
pub(crate) struct Pattern {
    /// From its top left corner `[px]`.
    pub places: &'static [[f32; 2]],
    /// A disc of this radius always holds one `[px]`.
    pub reach: f32,
}

/// A view of a picture of some size, in the camera's own axes: to the right, up and ahead.
///
/// Places in the picture are counted across and up from its middle: in what lies one metre ahead in perspective,
/// in metres without it.
#[derive(Clone, Copy)]
pub(crate) struct Aim {
    pub view: View,
    size: [usize; 2],
    /// Half the picture.
    half: Vec2,
    parallel: bool,
}

/// Columns and rows of a picture, the ends left out `[px]`.
struct Rect {
    cols: [usize; 2],
    rows: [usize; 2],
}

impl Aim {
    pub(crate) fn new(view: &View, size: [usize; 2]) -> Self {
        let (half, parallel) = match view.lens {
            Lens::Perspective(half) => (half, false),
            Lens::Parallel(half) => (half, true),
        };
        Self { view: *view, size, half: Vec2::new(half * view.aspect, half), parallel }
    }

    /// A place as the camera sees it `[m]`.
    pub(crate) fn seen_from(&self, place: Vec3) -> Vec3 {
        let way = place - self.view.eye;
        Vec3::new(way.dot(self.view.right), way.dot(self.view.up), way.dot(self.view.forward))
    }

    /// A direction of the camera's axes in the world.
    fn world_from(&self, direction: Vec3) -> Vec3 {
        self.view.right * direction.x + self.view.up * direction.y + self.view.forward * direction.z
    }

    /// The place in the picture of a pixel.
    pub(crate) fn at(&self, x: f32, y: f32) -> Vec2 {
        let [width, height] = self.size.map(|n| n as f32);
        Vec2::new(2.0 * x / width - 1.0, 1.0 - 2.0 * y / height) * self.half
    }

    /// The pixel of a place in the picture.
    pub(crate) fn pixel(&self, at: Vec2) -> Vec2 {
        let [width, height] = self.size.map(|n| n as f32);
        let share = at / self.half;
        Vec2::new(0.5 * (share.x + 1.0) * width, 0.5 * (1.0 - share.y) * height)
    }

    /// Start and direction, one metre ahead in each, of the ray through a place in the picture.
    fn ray(&self, at: Vec2) -> (Vec3, Vec3) {
        if self.parallel { (at.extend(0.0), Vec3::Z) } else { (Vec3::ZERO, at.extend(1.0)) }
    }

    /// The pixels between two places in the picture; `None` if they lie outside of it.
    fn rect(&self, low: Vec2, high: Vec2) -> Option<Rect> {
        let (a, b) = (self.pixel(Vec2::new(low.x, high.y)), self.pixel(Vec2::new(high.x, low.y)));
        let span = |from: f32, to: f32, count: usize| {
            // What is no number is 0 as a whole one, and nothing is left of it.
            let ends = [from.floor().max(0.0) as usize, (to.ceil().max(0.0) as usize).min(count)];
            (ends[0] < ends[1] && from <= to).then_some(ends)
        };
        Some(Rect { cols: span(a.x, b.x, self.size[0])?, rows: span(a.y, b.y, self.size[1])? })
    }

    /// The pixels that a sphere may cover.
    fn rect_of_sphere(&self, centre: Vec3, radius: f32) -> Option<Rect> {
        if self.parallel {
            let middle = centre.truncate();
            return self.rect(middle - radius, middle + radius);
        }
        if centre.z + radius < self.view.near || centre.length() <= radius {
            return None; // behind the eye, or around it
        }
        let room = centre.z * centre.z - radius * radius;
        if centre.z <= radius || room <= 0.0 {
            return self.rect(-self.half, self.half); // beside the eye
        }
        // The planes through the eye that touch the sphere (Mara & McGuire 2013).
        let ends = |across: f32| {
            let half = radius * (across * across + room).sqrt();
            [(across * centre.z - half) / room, (across * centre.z + half) / room]
        };
        let ([left, right], [low, high]) = (ends(centre.x), ends(centre.y));
        self.rect(Vec2::new(left, low), Vec2::new(right, high))
    }

    /// The pixels that a triangle may cover.
    fn rect_of_triangle(&self, corners: [Vec3; 3]) -> Option<Rect> {
        let start = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        let widen = |[low, high]: [Vec2; 2], place: Vec3| {
            let at = if self.parallel { place.truncate() } else { place.truncate() / place.z };
            [low.min(at), high.max(at)]
        };
        let near = self.view.near;
        let mut ends = start;
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            if a.z >= near {
                ends = widen(ends, a);
            }
            // Where a side leaves what lies ahead.
            if (a.z >= near) != (b.z >= near) {
                ends = widen(ends, a.lerp(b, (near - a.z) / (b.z - a.z)));
            }
        }
        self.rect(ends[0], ends[1])
    }
}

/// A sphere in the camera's axes.
struct Ball {
    centre: Vec3,
    radius: f32,
}

impl Ball {
    /// One that is never too small to be seen.
    fn new(aim: &Aim, centre: Vec3, radius: f32, pattern: &Pattern) -> Self {
        let pixel = aim.view.metres_per_pixel(centre.z, aim.size[1]);
        Self { centre, radius: radius.max(pattern.reach * pixel) }
    }

    /// How far ahead the ray through a place in the picture meets it `[m]`, and the normal there.
    fn met(&self, aim: &Aim, at: Vec2) -> Option<(f32, Vec3)> {
        let (start, ray) = aim.ray(at);
        let way = self.centre - start;
        let square = ray.length_squared();
        let along = way.dot(ray) / square;
        // From the nearest place of the ray: no difference of large numbers, spheres may be small and far away.
        let beside = way - ray * along;
        let half = self.radius * self.radius - beside.length_squared();
        if half < 0.0 {
            return None;
        }
        let ahead = along - (half / square).sqrt();
        (ahead >= aim.view.near).then(|| (ahead, (start + ray * ahead - self.centre) / self.radius))
    }
}

/// A triangle in the camera's axes.
struct Facet {
    /// For each corner a function of the place in the picture, `[across, up, constant]`, whose share of the sum of all
    /// three is the corner's weight (Olano & Greer 1997: no triangle has to be cut off at the eye).
    sides: [DVec3; 3],
    ahead: DVec3,
}

impl Facet {
    fn new(aim: &Aim, corners: [Vec3; 3]) -> Self {
        let corners = corners.map(Vec3::as_dvec3);
        let side = |i: usize| {
            let (a, b) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
            let across = a.cross(b);
            if aim.parallel { DVec3::new(a.y - b.y, b.x - a.x, across.z) } else { across }
        };
        Self { sides: [side(0), side(1), side(2)], ahead: DVec3::from_array(corners.map(|corner| corner.z)) }
    }

    /// How far ahead the ray through a place in the picture meets it `[m]`, and the weights of its corners.
    fn met(&self, aim: &Aim, at: Vec2) -> Option<(f32, DVec3)> {
        let at: DVec2 = at.as_dvec2();
        let shares = DVec3::from_array(self.sides.map(|side| side.dot(at.extend(1.0))));
        let weights = shares / shares.element_sum();
        // Also false for what is no number.
        let inside = weights.min_element() >= 0.0;
        let ahead = weights.dot(self.ahead) as f32;
        (inside && ahead >= aim.view.near).then_some((ahead, weights))
    }
}

/// What is nearest at a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// How far ahead `[m]`.
    pub ahead: f32,
    pub thing: Thing,
}

/// Things sorted by the rows of a picture that they may be seen in.
pub(crate) struct Coverage<'a> {
    things: &'a Things<'a>,
    aim: Aim,
    pattern: &'static Pattern,
    /// The things of one group of rows after the other, each in the order of their numbers.
    sorted: Vec<Thing>,
    /// Where those of each group begin, and the end.
    starts: Vec<usize>,
}

impl<'a> Coverage<'a> {
    /// Sorts the things that pass the filter.
    pub(crate) fn new(
        things: &'a Things<'a>,
        aim: Aim,
        pattern: &'static Pattern,
        filter: impl Fn(Thing) -> bool + Sync,
    ) -> Self {
        /// Things that one thread takes at a time.
        const CHUNK: usize = 4096;
        let mut coverage = Self { things, aim, pattern, sorted: Vec::new(), starts: Vec::new() };
        // First group of rows of each, and the one after the last.
        let mut spans = vec![[0u32; 2]; things.count()];
        band::for_each_chunk(&mut spans, CHUNK, |chunk, spans| {
            for (number, span) in (chunk * CHUNK..).zip(spans) {
                let thing = things.numbered(number).filter(|thing| filter(*thing));
                if let Some(rect) = thing.and_then(|thing| coverage.rect_of(thing)) {
                    *span = [rect.rows[0] / ROWS, rect.rows[1].div_ceil(ROWS)].map(|group| group as u32);
                }
            }
        });
        // The things of each group are counted, then put where those before them end.
        let groups = |span: &[u32; 2]| span[0] as usize..span[1] as usize;
        let mut starts = vec![0; aim.size[1].div_ceil(ROWS) + 1];
        spans.iter().flat_map(groups).for_each(|group| starts[group + 1] += 1);
        for group in 1..starts.len() {
            starts[group] += starts[group - 1];
        }
        coverage.sorted = vec![Thing::Sphere(0); starts.last().copied().unwrap_or(0)];
        let mut next = starts.clone();
        for (number, span) in spans.iter().enumerate() {
            for group in groups(span) {
                if let Some(thing) = things.numbered(number) {
                    coverage.sorted[next[group]] = thing;
                    next[group] += 1;
                }
            }
        }
        coverage.starts = starts;
        coverage
    }

    fn ball(&self, sphere: u32) -> Ball {
        let centre = self.aim.seen_from(self.things.centre(sphere));
        Ball::new(&self.aim, centre, self.things.radius(), self.pattern)
    }

    fn rect_of(&self, thing: Thing) -> Option<Rect> {
        match thing {
            Thing::Sphere(number) => {
                let Ball { centre, radius } = self.ball(number);
                self.aim.rect_of_sphere(centre, radius)
            }
            Thing::Facet { body, triangle } => {
                let corners = self.things.corners(body, triangle).map(|place| self.aim.seen_from(place));
                self.aim.rect_of_triangle(corners)
            }
        }
    }

    /// What is nearest at each sample of a group of rows: row after row, pixel after pixel, sample after sample.
    /// Empty if nothing is there.
    pub(crate) fn of_rows(&self, group: usize) -> Vec<Option<Seen>> {
        let things = &self.sorted[self.starts[group]..self.starts[group + 1]];
        if things.is_empty() {
            return Vec::new();
        }
        let [width, height] = self.aim.size;
        let rows = [group * ROWS, (group * ROWS + ROWS).min(height)];
        let mut seen = vec![None; (rows[1] - rows[0]) * width * self.pattern.places.len()];
        for thing in things {
            let Some(rect) = self.rect_of(*thing) else { continue };
            let rect = Rect { rows: [rect.rows[0].max(rows[0]), rect.rows[1].min(rows[1])], ..rect };
            match *thing {
                Thing::Sphere(number) => {
                    let ball = self.ball(number);
                    self.cover(&mut seen, rows[0], &rect, *thing, |at| Some(ball.met(&self.aim, at)?.0));
                }
                Thing::Facet { body, triangle } => {
                    let corners = self.things.corners(body, triangle);
                    let facet = Facet::new(&self.aim, corners.map(|place| self.aim.seen_from(place)));
                    self.cover(&mut seen, rows[0], &rect, *thing, |at| Some(facet.met(&self.aim, at)?.0));
                }
            }
        }
        seen
    }

    /// Keeps a thing wherever it is met before what was there.
    fn cover(
        &self,
        seen: &mut [Option<Seen>],
        first_row: usize,
        rect: &Rect,
        thing: Thing,
        met: impl Fn(Vec2) -> Option<f32>,
    ) {
        let (width, samples) = (self.aim.size[0], self.pattern.places.len());
        for row in rect.rows[0]..rect.rows[1] {
            let line = &mut seen[(row - first_row) * width * samples..][..width * samples];
            for col in rect.cols[0]..rect.cols[1] {
                let pixel = &mut line[col * samples..][..samples];
                for (place, [x, y]) in pixel.iter_mut().zip(self.pattern.places) {
                    let at = self.aim.at(col as f32 + x, row as f32 + y);
                    if let Some(ahead) = met(at).filter(|ahead| place.is_none_or(|old| *ahead < old.ahead)) {
                        *place = Some(Seen { ahead, thing });
                    }
                }
            }
        }
    }

    /// The outward normal of a thing where the ray through a place in the picture meets it.
    pub(crate) fn normal(&self, thing: Thing, at: Vec2) -> Vec3 {
        let aim = &self.aim;
        match thing {
            Thing::Sphere(number) => {
                let met = self.ball(number).met(aim, at);
                met.map_or(-aim.view.forward, |(_, normal)| aim.world_from(normal))
            }
            Thing::Facet { body, triangle } => {
                let (weights, front) = self.facet(body, triangle, at);
                let normal = self.things.normal(body, triangle, weights);
                // Seen from behind, it is turned over.
                normal.normalize_or(Vec3::Z) * if front { 1.0 } else { -1.0 }
            }
        }
    }

    /// How much each corner of a triangle counts where the ray through a place in the picture meets it, and whether it is
    /// seen from the front.
    pub(crate) fn facet(&self, body: u16, triangle: u32, at: Vec2) -> ([f32; 3], bool) {
        let aim = &self.aim;
        let corners = self.things.corners(body, triangle);
        let facet = Facet::new(aim, corners.map(|place| aim.seen_from(place)));
        let weights = facet.met(aim, at).map_or(DVec3::splat(1.0 / 3.0), |(_, weights)| weights);
        let [a, b, c] = corners;
        let (_, ray) = aim.ray(at);
        let front = (b - a).cross(c - a).dot(aim.world_from(ray)) <= 0.0;
        (weights.as_vec3().to_array(), front)
    }
}
