//! The signature of a kernel, read from its text by the plainest means and not by the front end under test.

/// The function that a kernel file defines.
pub(crate) struct Signature {
    /// Name of the function.
    pub(crate) name: String,
    /// Its parameters, in order.
    pub(crate) parameters: Vec<Parameter>,
    /// The whole head, which with a semicolon is a prototype.
    pub(crate) head: String,
}

/// One parameter.
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: String,
    /// `int` or `double`.
    pub(crate) element: String,
    /// Extents as C expressions; a number if there are none.
    pub(crate) extents: Vec<String>,
}

impl Parameter {
    /// Sizes are the integers that are not arrays.
    pub(crate) fn is_size(&self) -> bool {
        self.element == "int" && self.extents.is_empty()
    }

    /// Arrays and floating-point scalars are data.
    pub(crate) fn is_data(&self) -> bool {
        !self.is_size()
    }
}

/// Reads `void kernel_…(…)`.
pub(crate) fn signature(text: &str) -> Signature {
    let start = text.find("void kernel_").expect("a kernel function");
    let open = start + text[start..].find('(').expect("(");
    let close = open + text[open..].find(')').expect(")");
    let parameters = text[open + 1..close].split(',').map(parameter).collect();
    Signature {
        name: text[start + "void ".len()..open].to_string(),
        parameters,
        head: text[start..=close].to_string(),
    }
}

/// Reads `double A[N][M + 1]`.
fn parameter(text: &str) -> Parameter {
    let (element, declarator) = text.trim().split_once(' ').expect("a type and a name");
    let mut parts = declarator.split('[');
    let name = parts.next().expect("a name").trim().to_string();
    let extents = parts
        .map(|part| part.trim().trim_end_matches(']').to_string())
        .collect();
    Parameter {
        name,
        element: element.to_string(),
        extents,
    }
}
