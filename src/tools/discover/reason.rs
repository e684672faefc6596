//! Why a tool is proposed.

/// One reason, with what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The task means what the description says.
    Meaning {
        /// How near they are, a cosine.
        cosine: f32,
    },
    /// The task has words of its description.
    Words,
    /// The task has words of its name.
    Name,
    /// It was called right after a tool.
    Follows {
        /// That tool, by its place.
        tool: usize,
        /// How often it was called right after it.
        times: u32,
        /// Calls of that tool.
        of: u32,
    },
    /// Sessions that used a tool used it too.
    UsedWith {
        /// That tool, by its place.
        tool: usize,
        /// Sessions that used both.
        sessions: u32,
        /// Sessions that used that tool.
        of: u32,
    },
    /// It gives what another likely tool takes.
    Gives {
        /// What.
        what: String,
        /// That tool, by its place.
        tool: usize,
    },
    /// Past tasks like this one used it.
    Past,
}

impl Reason {
    /// Whether it rests on other tools or past tasks, and not on what the tool says of itself.
    pub const fn is_of_graph(&self) -> bool {
        !matches!(self, Self::Meaning { .. } | Self::Words | Self::Name)
    }
}
