package gemini

// Separate is the extractor alone, for its benchmark.
func Separate(visible string) (content, inline string) { return separate(visible) }
