//! Whether a launcher of parallel programs started this process.
//!
//! Launchers tell the processes they start how many there are, in environment variables. MPI itself reads the same
//! variables; asking them first means that a redblue built with MPI starts it only where it was launched, and that
//! one built without MPI can say so instead of running the same benchmark several times.

/// The variables of launchers that hold the number of processes.
const SIZES: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"),
    ("PMI_SIZE", "mpirun"),
    ("SLURM_STEP_NUM_TASKS", "srun"),
];

/// What a launcher said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Which launcher it seems to be.
    pub by: &'static str,
    /// How many processes it started.
    pub ranks: u64,
}

/// What a launcher said in the environment, which is given as a function so that this one stays pure.
pub fn launch(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
    SIZES.into_iter().find_map(|(name, by)| {
        let ranks = variable(name)?.trim().parse().ok()?;
        Some(Launch { by, ranks })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_variables() {
        let environment = |set: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_string())
            }
        };
        let ranks = |set| launch(environment(set)).map(|launch| launch.ranks);
        assert_eq!(ranks(&[]), None);
        assert_eq!(ranks(&[("PMI_SIZE", "4"), ("PMI_RANK", "0")]), Some(4));
        assert_eq!(ranks(&[("OMPI_COMM_WORLD_SIZE", "1")]), Some(1));
        assert_eq!(ranks(&[("SLURM_STEP_NUM_TASKS", "many")]), None);
        // A shell inside an allocation was not started by srun.
        assert_eq!(ranks(&[("SLURM_NTASKS", "8")]), None);
    }
}
