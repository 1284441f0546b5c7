//! Maximum flow by Dinic's algorithm: the one tool behind dominators, wavefronts and closures.

use std::collections::VecDeque;

/// A capacity that is never the bottleneck.
pub(crate) const UNLIMITED: u64 = u64::MAX / 4;

/// A directed network with a source and a sink.
pub(crate) struct Network {
    /// Arcs by number; arc `a ^ 1` is the reverse of arc `a`.
    arcs: Vec<Arc>,
    leaving: Vec<Vec<usize>>,
    source: usize,
    sink: usize,
}

struct Arc {
    to: usize,
    /// Capacity left.
    room: u64,
}

impl Network {
    /// A network with nodes `0..nodes` and two more, source and sink.
    pub(crate) fn new(nodes: usize) -> Network {
        let (source, sink) = (nodes, nodes + 1);
        Network {
            arcs: Vec::new(),
            leaving: vec![Vec::new(); nodes + 2],
            source,
            sink,
        }
    }

    pub(crate) fn arc(&mut self, from: usize, to: usize, capacity: u64) {
        self.leaving[from].push(self.arcs.len());
        self.arcs.push(Arc { to, room: capacity });
        self.leaving[to].push(self.arcs.len());
        self.arcs.push(Arc { to: from, room: 0 });
    }

    pub(crate) fn source_arc(&mut self, to: usize, capacity: u64) {
        self.arc(self.source, to, capacity);
    }

    pub(crate) fn sink_arc(&mut self, from: usize, capacity: u64) {
        self.arc(from, self.sink, capacity);
    }

    /// Sends as much flow as possible and returns its value, which is that of a minimum cut.
    pub(crate) fn saturate(&mut self) -> u64 {
        let mut value = 0;
        loop {
            let level = self.levels();
            if level[self.sink] == usize::MAX {
                return value;
            }
            let mut tried = vec![0; self.leaving.len()];
            loop {
                let sent = self.send(&level, &mut tried);
                if sent == 0 {
                    break;
                }
                value += sent;
            }
        }
    }

    /// After [`saturate`](Network::saturate): the nodes on the source's side of a minimum cut.
    pub(crate) fn source_side(&self) -> Vec<bool> {
        self.levels()
            .into_iter()
            .map(|level| level != usize::MAX)
            .collect()
    }

    fn levels(&self) -> Vec<usize> {
        let mut level = vec![usize::MAX; self.leaving.len()];
        level[self.source] = 0;
        let mut queue = VecDeque::from([self.source]);
        while let Some(node) = queue.pop_front() {
            for &arc in &self.leaving[node] {
                let Arc { to, room } = self.arcs[arc];
                if room > 0 && level[to] == usize::MAX {
                    level[to] = level[node] + 1;
                    queue.push_back(to);
                }
            }
        }
        level
    }

    /// One augmenting path along increasing levels, found with an explicit stack because networks
    /// can be deep.
    fn send(&mut self, level: &[usize], tried: &mut [usize]) -> u64 {
        let mut path: Vec<usize> = Vec::new();
        let mut node = self.source;
        while node != self.sink {
            match self.leaving[node].get(tried[node]) {
                Some(&arc) => {
                    let Arc { to, room } = self.arcs[arc];
                    if room > 0 && level[to] == level[node] + 1 {
                        path.push(arc);
                        node = to;
                    } else {
                        tried[node] += 1;
                    }
                }
                None => {
                    let Some(arc) = path.pop() else {
                        return 0;
                    };
                    node = self.arcs[arc ^ 1].to;
                    tried[node] += 1;
                }
            }
        }
        let sent = path
            .iter()
            .map(|&arc| self.arcs[arc].room)
            .min()
            .unwrap_or(0);
        for arc in path {
            self.arcs[arc].room -= sent;
            self.arcs[arc ^ 1].room += sent;
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_network() {
        let mut network = Network::new(4);
        network.source_arc(0, 16);
        network.source_arc(1, 13);
        for (from, to, capacity) in [(0, 2, 12), (1, 0, 4), (2, 1, 9), (1, 3, 14), (3, 2, 7)] {
            network.arc(from, to, capacity);
        }
        network.sink_arc(2, 20);
        network.sink_arc(3, 4);
        assert_eq!(network.saturate(), 23);
        let side = network.source_side();
        assert_eq!(side[..4], [true, true, false, true]);
    }
}
