package policy

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// PackageComments checks that every package has one package comment.
func PackageComments(t *Tree) []string {
	var found []string
	for dir, files := range t.dirs() {
		docs := 0
		for _, f := range files {
			if f.AST.Doc != nil && !f.Test {
				docs++
			}
			if f.AST.Doc != nil && !f.Test && !opening(f) {
				found = append(found, f.Path+": a package comment opens with the package's name")
			}
		}
		if hasCode(files) && docs != 1 {
			found = append(found, fmt.Sprintf("%s has %d package comments, want 1", dir, docs))
		}
	}
	return found
}

func hasCode(files []*File) bool {
	return slices.ContainsFunc(files, func(f *File) bool { return !f.Test })
}

// opening reports whether a package comment begins as godoc expects: "Package
// x", or for a command its name, after the word Command or without it.
func opening(f *File) bool {
	text := f.AST.Doc.Text()
	if f.AST.Name.Name != "main" {
		return strings.HasPrefix(text, "Package "+f.AST.Name.Name+" ")
	}
	text = strings.TrimPrefix(strings.ToLower(text), "command ")
	return strings.HasPrefix(text, strings.ToLower(path.Base(f.Dir))+" ")
}

// vagueNames are package names that say nothing about the subject.
const vagueNames = `util|utils|common|helpers?|misc|base|types|models?|shared|lib|core|pkg|internal`

// Names checks that packages are named after their subject and their folder.
func Names(t *Tree) []string {
	var found []string
	for dir, files := range t.dirs() {
		name := files[0].AST.Name.Name
		if match(vagueNames, path.Base(dir)) {
			found = append(found, dir+": put this code in a package named for its subject")
		}
		if name = strings.TrimSuffix(name, "_test"); name != "main" && name != path.Base(dir) {
			found = append(found, fmt.Sprintf("%s holds package %s: name them alike", dir, name))
		}
	}
	return found
}

// contracts are methods that an interface of the standard library defines;
// they need no comment.
const contracts = `Error|Unwrap|Is|As|String|Format|(Un)?[Mm]arshal(JSON|Text|Binary)|Read|Write|Close|Len|Less|Swap|ServeHTTP|Enabled|Handle|WithAttrs|WithGroup`

// Documented checks that every exported name has a doc comment. Methods of
// leaves are described by the interface that they implement.
func Documented(t *Tree) []string {
	var found []string
	for _, f := range t.code() {
		if f.AST.Name.Name == "main" {
			continue
		}
		for _, d := range f.AST.Decls {
			for _, id := range undocumented(f.Dir, d) {
				found = append(found, fmt.Sprintf("%s: exported %s has no comment", t.at(id), id.Name))
			}
		}
	}
	return found
}

// undocumented returns the exported names that d declares without a comment.
func undocumented(dir string, d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && !isImplied(dir, d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Doc == nil && d.Tok != token.IMPORT {
			return undocumentedSpecs(d.Specs)
		}
	}
	return nil
}

func undocumentedSpecs(specs []ast.Spec) []*ast.Ident {
	var ids []*ast.Ident
	for _, s := range specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Doc == nil && s.Comment == nil {
				ids = append(ids, s.Name)
			}
		case *ast.ValueSpec:
			if s.Doc == nil && s.Comment == nil {
				ids = append(ids, s.Names...)
			}
		}
	}
	return slices.DeleteFunc(ids, func(id *ast.Ident) bool { return !id.IsExported() })
}

// isImplied reports whether a method is described elsewhere, or unreachable.
func isImplied(dir string, d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return false
	}
	return match(contracts, d.Name.Name) || match(leaves+`|`+suites, dir) || !receiver(d).IsExported()
}

func receiver(d *ast.FuncDecl) *ast.Ident {
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return ast.NewIdent("_")
		}
	}
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

// Finished checks that no comment postpones work.
func Finished(t *Tree) []string {
	var found []string
	for _, f := range t.Files {
		for _, g := range f.AST.Comments {
			if word := unfinished.FindString(g.Text()); word != "" && f.Dir != "shared/policy" {
				found = append(found, fmt.Sprintf("%s: %s: finish the work, or open an issue", t.at(g), word))
			}
		}
	}
	return found
}
