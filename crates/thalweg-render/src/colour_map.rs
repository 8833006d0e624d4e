//! Colours for quantities.

/// Colours whose steps look equally large, in print, on screens and to people who see few colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet over green to yellow (Smith & van der Walt 2015); for any quantity.
    Viridis,
    /// Dark blue over grey to yellow (Nuñez, Anderton & Renslow 2018): looks the same to those who do not
    /// see red or green.
    Cividis,
    /// White to dark blue (Brewer's Blues); for water, where nothing shall look like paper.
    Blues,
    /// Pale yellow over orange to brown (Brewer's YlOrBr); for sediment.
    Browns,
    /// Brown over white to green-blue (Brewer's BrBG); for what runs one way or the other.
    Diverging,
    /// Red over light grey to blue (Moreland 2009, turned round); for ground that is lost, stays or is
    /// gained, as usual in maps of change.
    RedBlue,
    /// Light grey to red, the first half of [`ColourMap::RedBlue`] outwards; for ground lost.
    Loss,
    /// Light grey to blue, its second half; for ground gained.
    Gain,
}

impl ColourMap {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Viridis,
        Self::Cividis,
        Self::Blues,
        Self::Browns,
        Self::Diverging,
        Self::RedBlue,
        Self::Loss,
        Self::Gain,
    ];

    /// The colour at a position in [0, 1].
    pub fn colour(self, at: f32) -> [u8; 3] {
        let at = at.clamp(0.0, 1.0);
        let gradient = match self {
            Self::Viridis => colorous::VIRIDIS,
            Self::Cividis => colorous::CIVIDIS,
            Self::Blues => colorous::BLUES,
            Self::Browns => colorous::YELLOW_ORANGE_BROWN,
            Self::Diverging => colorous::BROWN_GREEN,
            Self::RedBlue => return red_blue(at),
            Self::Loss => return red_blue(0.5 - 0.5 * at),
            Self::Gain => return red_blue(0.5 + 0.5 * at),
        };
        let colour = gradient.eval_continuous(f64::from(at));
        [colour.r, colour.g, colour.b]
    }

    /// The colours at equal steps from the first to the last, as a texture holds them.
    pub fn table(self) -> [[u8; 3]; 256] {
        std::array::from_fn(|i| self.colour(i as f32 / 255.0))
    }
}

/// Colours between the steps of Moreland's table, mixed as sRGB.
fn red_blue(at: f32) -> [u8; 3] {
    let place = at * (RED_BLUE.len() - 1) as f32;
    let step = (place as usize).min(RED_BLUE.len() - 2);
    let t = place - step as f32;
    let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * t).round() as u8;
    std::array::from_fn(|i| mix(RED_BLUE[step][i], RED_BLUE[step + 1][i]))
}

/// The diverging map of Moreland 2009 as its author tabulates it, from red to blue.
#[rustfmt::skip]
const RED_BLUE: [[u8; 3]; 33] = [
    [180, 4, 38], [192, 40, 47], [203, 62, 56], [213, 80, 66], [222, 96, 77], [229, 112, 88], [236, 127, 99],
    [241, 141, 111], [244, 154, 123], [247, 166, 135], [247, 177, 148], [247, 187, 160], [245, 196, 173],
    [241, 204, 185], [236, 211, 197], [229, 216, 209], [221, 221, 221], [213, 219, 230], [204, 217, 238],
    [194, 213, 244], [184, 208, 249], [174, 201, 253], [163, 194, 255], [152, 185, 255], [141, 176, 254],
    [130, 165, 251], [119, 154, 247], [108, 142, 241], [98, 130, 234], [87, 117, 225], [77, 104, 215],
    [68, 90, 204], [59, 76, 192],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_light_grey_and_the_halves_lead_away_from_it() {
        let grey = [221; 3];
        assert_eq!(ColourMap::RedBlue.colour(0.5), grey);
        assert_eq!([ColourMap::Loss, ColourMap::Gain].map(|map| map.colour(0.0)), [grey; 2]);
        assert_eq!(ColourMap::Loss.colour(1.0), ColourMap::RedBlue.colour(0.0));
        assert_eq!(ColourMap::Gain.colour(1.0), ColourMap::RedBlue.colour(1.0));
    }

    #[test]
    fn a_table_begins_and_ends_with_the_map() {
        for map in ColourMap::ALL {
            let table = map.table();
            assert_eq!([table[0], table[255]], [map.colour(0.0), map.colour(1.0)], "{map:?}");
        }
        assert_eq!(ColourMap::Viridis.colour(f32::NAN.max(-3.0)), ColourMap::Viridis.colour(0.0));
    }
}
