#[toolset(domain = "fs", ceiling = "write")]
#[cfg(unix)]
impl Files {
    /// Lines of the file.
    const MOST: usize = 200;

    /// Read the text of a file, from its start.
    #[tool]
    pub async fn read(
        &self,
        /// Path of the file, e.g. `src/main.rs`.
        path: &str,
        /// How many lines to return at most.
        #[arg(default = Self::MOST)]
        most: usize,
    ) -> Result<String, io::Error> {
        self.root.read(path, most).await
    }

    #[cfg(feature = "write")]
    /// Write a file anew.
    #[tool(name = "write", risk = "write")]
    fn put(&self, /** Its text, e.g. `a`. */ text: String) -> Self {
        self.root.write(text)
    }
}
