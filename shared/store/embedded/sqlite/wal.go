package sqlite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// The format of a write-ahead log is described in https://sqlite.org/fileformat2.html,
// section 4: a header of 32 bytes, then frames of 24 bytes and a page each. A frame
// counts when its salts are those of the header, the running checksum up to it is
// right, and a frame at or after it ends a transaction. SQLite ignores the rest of
// the log, and all of it when the header is damaged, without an error.

const (
	logHeaderSize   = 32
	frameHeaderSize = 24
	logMagic        = 0x377f0682 // the last bit says that checksums are of big-endian words
	pageMax         = 65536
)

// A logMarks is what a log says of the marks of a database.
type logMarks struct {
	commits bool   // SQLite takes at least one commit from the log
	marks   []mark // of the page with the table, of these commits, the last ones last
}

// readLog reads the log at path and collects the marks of a page. A log that does
// not exist, or of which SQLite takes nothing, has no commits.
func readLog(path string, page uint32) (found logMarks, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<18)
	header := make([]byte, logHeaderSize)
	if _, err := io.ReadFull(in, header); err != nil {
		return found, nil // an empty log, or one whose first write was cut off
	}
	sum, ok := checkLogHeader(header)
	if !ok {
		return found, nil
	}
	var pending []mark
	frame := make([]byte, frameHeaderSize+int(binary.BigEndian.Uint32(header[8:])))
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return found, nil // the end, which may be cut off
		}
		if !sum.frame(frame, header) {
			return found, nil
		}
		if binary.BigEndian.Uint32(frame) == page {
			pending = append(pending, parseMarks(frame[frameHeaderSize:])...)
		}
		if binary.BigEndian.Uint32(frame[4:]) != 0 { // ends a transaction
			found.commits, found.marks = true, append(found.marks, pending...)
			pending = pending[:0]
		}
	}
}

// A logSum is the running checksum of a log.
type logSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

// checkLogHeader returns the checksum after the header of a log, and false when the
// header is damaged.
func checkLogHeader(header []byte) (*logSum, bool) {
	magic, size := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[8:])
	if magic&^1 != logMagic || size < 512 || size > pageMax || size&(size-1) != 0 {
		return nil, false
	}
	sum := &logSum{order: binary.LittleEndian}
	if magic&1 == 1 {
		sum.order = binary.BigEndian
	}
	sum.add(header[:24])
	return sum, sum.matches(header[24:])
}

// frame adds a frame to the checksum, and reports whether the frame counts.
func (s *logSum) frame(frame, header []byte) bool {
	if string(frame[8:16]) != string(header[16:24]) { // the salts
		return false
	}
	s.add(frame[:8])
	s.add(frame[frameHeaderSize:])
	return s.matches(frame[16:])
}

// add adds pairs of words, as section 4.2 of the format says.
func (s *logSum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		s.s0 += s.order.Uint32(data) + s.s1
		s.s1 += s.order.Uint32(data[4:]) + s.s0
	}
}

func (s *logSum) matches(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == s.s0 && binary.BigEndian.Uint32(stored[4:]) == s.s1
}
