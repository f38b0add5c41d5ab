"""The pages: the Markdown extension, the plugin, figures, tables, and the one function that escapes."""
