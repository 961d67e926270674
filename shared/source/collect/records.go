package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"miramundo.dev/shared/source"
)

// maxRecords is the size of a file of Records, in bytes.
const maxRecords = 16 << 20

// Records returns the records in a file with the JSON of a [source.Dataset].
func Records(path string) (*source.Dataset, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxRecords {
		err = fmt.Errorf("%s has more than %d bytes", path, maxRecords)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	decoder := json.NewDecoder(f)
	decoder.DisallowUnknownFields()
	var d source.Dataset
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if decoder.More() {
		return nil, errors.New(path + ": more than one value")
	}
	return &d, nil
}
