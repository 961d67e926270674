package datafolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// VersionFile is the name of the file with the [Version] of a folder.
const VersionFile = "version.json"

// Format is the version of the files of a folder that this program writes. It is raised
// when an earlier program would misread them; the database has a version of its own.
const Format = 1

// A Version is what a folder says of the program that used it last. Earlier programs left
// none, or one without a Sum.
type Version struct {
	Format int `json:"format"`
	Program
}

// A Program is what a folder says of a program. Two programs with the same sum are the
// same; their names may be alike where the build did not get a version.
type Program struct {
	Name string `json:"program"`       // for a person
	Sum  string `json:"sum,omitempty"` // SHA-256 of the program's file, in hex; empty where that is not known
}

// Is reports whether p is known to be the same program as other.
func (p Program) Is(other Program) bool { return p == other && p.Sum != "" }

// LastVersion returns the version of a folder, or the zero Version where it has none. It
// returns a [Trouble] when the folder was used by a later program, whose data this one
// would misread. remedy says where a backup is.
func LastVersion(dir, remedy string) (Version, error) {
	path := filepath.Join(dir, VersionFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Version{}, nil
	}
	if err != nil {
		return Version{}, fmt.Errorf("data folder: %w", err)
	}
	var v Version
	if err := json.Unmarshal(data, &v); err != nil || v.Format < 1 {
		return Version{}, nil // it says nothing that is of use, and the next start writes it anew
	}
	if v.Format > Format {
		return v, &Trouble{
			Problem: fmt.Sprintf("data folder: %s was last used by a later version (%s), with the format %d; this version supports formats up to %d", dir, v.Name, v.Format, Format),
			Danger:  "what the later version has saved, which this one would misread",
			Remedy:  "start the later version again; or go back to a backup from before the upgrade: " + remedy,
		}
	}
	return v, nil
}

// KeepVersion records that a program uses a folder.
func KeepVersion(dir string, program Program) error {
	data, err := json.MarshalIndent(Version{Format, program}, "", "  ")
	if err != nil {
		return err
	}
	return Keep(filepath.Join(dir, VersionFile), append(data, '\n'))
}
