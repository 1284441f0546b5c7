//! What a search tries: tile sizes, subsets and orders, always the same ones.

/// Sizes from 1 to the extent or the memory, each by about a factor larger than the one before.
pub(crate) fn grid(extent: u128, words: u64, up: u64, down: u64) -> Vec<u64> {
    let extent = u64::try_from(extent).unwrap_or(u64::MAX);
    let most = extent.min(words);
    let mut list = vec![1];
    let mut value = 1;
    while value < most {
        value = (value * up / down).max(value + 1).min(most);
        list.push(value);
    }
    if extent > most {
        list.push(extent);
    }
    list
}

/// Values near one, all of them if they are few.
pub(crate) fn around(value: u64, extent: u128) -> Vec<u64> {
    let extent = u64::try_from(extent).unwrap_or(u64::MAX);
    let (low, high) = ((value / 2).max(1), (value * 2).min(extent).max(1));
    let step = ((high - low) / 64).max(1);
    let mut list: Vec<u64> = (low..=high).step_by(step as usize).collect();
    list.extend((value.saturating_sub(4).max(1))..=(value + 4).min(extent));
    // Sides that cut the extent into equal parts waste nothing at the edges.
    let parts = extent.div_ceil(value.max(1));
    for number in parts.saturating_sub(4).max(1)..=parts + 4 {
        list.push(extent.div_ceil(number));
    }
    list.push(extent);
    list.sort_unstable();
    list.dedup();
    list
}

/// All sets of the first so many numbers.
pub(crate) fn subsets(count: usize) -> Vec<Vec<usize>> {
    let member = |mask: usize| (0..count).filter(move |at| mask >> at & 1 == 1).collect();
    (0..1usize << count).map(member).collect()
}

/// All orders of some numbers.
pub(crate) fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(at);
        for tail in permutations(&rest) {
            all.push([vec![*first], tail].concat());
        }
    }
    all
}
