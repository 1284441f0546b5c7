//! Logarithmic axes: where a value is drawn, and which values get a tick.

/// A logarithmic axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Log {
    /// Values `low..=high`, both positive, drawn from pixel `from` to pixel `to`.
    pub(crate) fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Log {
        let low = low.max(f64::MIN_POSITIVE);
        let high = if high > low { high } else { low * 2.0 };
        Log {
            low,
            high,
            from,
            to,
        }
    }

    /// The pixel of a value; values outside are drawn at the end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let part = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + part * (self.to - self.from)
    }

    pub(crate) fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    pub(crate) fn low(&self) -> f64 {
        self.low
    }

    pub(crate) fn high(&self) -> f64 {
        self.high
    }

    fn pixels(&self) -> f64 {
        (self.to - self.from).abs()
    }

    /// Powers of ten, with 2 and 5 times them where there is room for labels `apart` pixels from each other; if
    /// powers are too close, only every second, third, … of them.
    pub(crate) fn decimal(&self, apart: f64) -> Vec<f64> {
        let per_decade = self.pixels() / (self.high / self.low).log10();
        let steps: &[f64] = match per_decade * 0.3 {
            room if room >= apart => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let skip = (apart / per_decade).ceil().max(1.0) as i32;
        let (first, last) = (
            self.low.log10().floor() as i32,
            self.high.log10().ceil() as i32,
        );
        let powers = (first..=last).filter(|power| power.rem_euclid(skip) == 0);
        let ticks = powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
        ticks.filter(|tick| self.contains(*tick)).collect()
    }

    /// Powers of two, as many as there is room for.
    pub(crate) fn binary(&self, apart: f64) -> Vec<f64> {
        let per_power = self.pixels() / (self.high / self.low).log2();
        let skip = (apart / per_power).ceil().max(1.0) as i32;
        let (first, last) = (
            self.low.log2().ceil() as i32,
            self.high.log2().floor() as i32,
        );
        let powers = (first..=last).filter(|power| power.rem_euclid(skip) == 0);
        powers.map(|power| 2f64.powi(power)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middle() {
        let axis = Log::new((1.0, 100.0), (0.0, 200.0));
        for (value, pixel) in [
            (1.0, 0.0),
            (10.0, 100.0),
            (100.0, 200.0),
            (0.0, 0.0),
            (1e9, 200.0),
        ] {
            assert!((axis.at(value) - pixel).abs() < 1e-9, "{value}");
        }
        // An empty range still has two ends.
        assert!(Log::new((5.0, 5.0), (0.0, 10.0)).at(5.0).is_finite());
    }

    #[test]
    fn ticks_have_room() {
        let axis = Log::new((1.0, 1e6), (0.0, 300.0));
        assert_eq!(axis.decimal(20.0), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]);
        assert_eq!(axis.decimal(60.0), [1.0, 100.0, 1e4, 1e6]);
        let short = Log::new((1e6, 3e7), (0.0, 300.0));
        assert_eq!(short.decimal(30.0), [1e6, 2e6, 5e6, 1e7, 2e7]);
        let words = Log::new((100.0, 5000.0), (0.0, 300.0));
        assert_eq!(
            words.binary(40.0),
            [128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0]
        );
    }
}
