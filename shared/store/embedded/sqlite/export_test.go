package sqlite

// Path returns the path of f.
func (f *File) Path() string { return f.path }
