package views

import "strings"

// wordSet makes a set of keywords.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// codes are the languages by the ends of file names, and by whole names.
var codes = func() map[string]*Code {
	cLike := func(words string) Code {
		return Code{line: []string{"//"}, begin: "/*", end: "*/", quotes: `"'`, words: wordSet(words)}
	}
	golang := cLike("break case chan const continue default defer else fallthrough for func go goto if import interface map package range " +
		"return select struct switch type var nil true false")
	golang.multi = []string{"`"}
	script := cLike("abstract any as async await boolean break case catch class const continue debugger declare default delete do else " +
		"enum export extends false finally for from function get if implements import in infer instanceof interface keyof let namespace " +
		"never new null number of private protected public readonly return set static string super switch this throw true try type typeof " +
		"undefined unknown var void while yield")
	script.multi = []string{"`"}
	clang := cLike("auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern " +
		"false final float for friend goto if inline int long mutable namespace new nullptr operator override private protected public " +
		"return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void " +
		"volatile while define ifdef ifndef endif include elif")
	java := cLike("abstract as async await base boolean bool break byte case catch char class companion const continue data decimal " +
		"default delegate do double else enum event extends false final finally float for foreach fun get if implements import in inner int " +
		"interface internal is lateinit lock long namespace native new null object open out override package params private protected public " +
		"readonly record ref return sealed set short static string struct super suspend switch synchronized this throw throws transient true " +
		"try typealias typeof uint ulong using val var virtual void volatile when where while yield")
	java.multi = []string{`"""`}
	swift := cLike("actor as async await break case catch class continue default defer do else enum extension fallthrough false final for " +
		"func guard if import in init inout internal is let mutating nil open override private protocol public repeat return self static " +
		"struct subscript super switch throw throws true try typealias var weak where while abstract covariant dynamic dart late required " +
		"mixin with")
	swift.multi = []string{`"""`}
	rust := cLike("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub " +
		"ref return self Self static struct super trait true type unsafe use where while")
	rust.quotes = `"`
	php := cLike("abstract and array as break callable case catch class clone const continue declare default do echo else elseif enum " +
		"extends false final finally fn for foreach function global if implements include instanceof interface isset match namespace new " +
		"null or print private protected public readonly require require_once return static switch this throw trait true try unset use var " +
		"while yield")
	php.line = []string{"//", "#"}
	css := Code{begin: "/*", end: "*/", quotes: `"'`, inWords: "-@",
		words: wordSet("@media @import @layer @supports @keyframes @font-face @container important")}
	scss := css
	scss.line = []string{"//"}
	python := Code{line: []string{"#"}, quotes: `"'`, multi: []string{`"""`, `'''`},
		words: wordSet("False None True and as assert async await break case class continue def del elif else except finally for from global " +
			"if import in is lambda match nonlocal not or pass raise return self try while with yield")}
	ruby := Code{line: []string{"#"}, wordLine: true, quotes: `"'`, inWords: "?!",
		words: wordSet("alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or " +
			"private raise redo require rescue retry return self super then true undef unless until when while yield defmodule defp fn use import")}
	shell := Code{line: []string{"#"}, wordLine: true, quotes: `"'`,
		words: wordSet("case do done elif else esac export fi for function if in local readonly return set shift source then trap unset " +
			"until while exit")}
	makefile := Code{line: []string{"#"}, words: wordSet("define else endef endif export ifdef ifeq ifndef ifneq include override")}
	docker := Code{line: []string{"#"}, wordLine: true, quotes: `"'`,
		words: wordSet("ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR AS")}
	yaml := Code{line: []string{"#"}, wordLine: true, quotes: `"'`, words: wordSet("true false null yes no on off")}
	toml := Code{line: []string{"#", ";"}, wordLine: true, quotes: `"'`, multi: []string{`"""`, `'''`}, words: wordSet("true false")}
	json := Code{line: []string{"//"}, quotes: `"`, words: wordSet("true false null")}
	sql := Code{line: []string{"--"}, begin: "/*", end: "*/", quotes: `'"`, anyCase: true,
		words: wordSet("add all alter and as asc begin between by case cascade check column commit constraint create cross default delete " +
			"desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not " +
			"null offset on or order outer primary references returning right rollback select set table then transaction trigger union unique " +
			"update using values view when where with")}
	lua := Code{line: []string{"--"}, quotes: `"'`, words: wordSet(
		"and break do else elseif end false for function goto if in local nil not or repeat return then true until while")}
	markup := Code{begin: "<!--", end: "-->", quotes: `"`, tagsWords: true}

	names := map[string]*Code{}
	for ends, c := range map[string]*Code{
		"go templ": &golang, "js mjs cjs jsx ts mts cts tsx vue svelte": &script, "c h cc cpp cxx hpp hh m mm proto": &clang,
		"java kt kts cs scala groovy gradle": &java, "swift dart": &swift, "rs": &rust, "php": &php, "css": &css, "scss less": &scss,
		"py pyi": &python, "rb rake gemfile rakefile ex exs": &ruby, "sh bash zsh fish": &shell, "mk makefile gnumakefile": &makefile,
		"dockerfile containerfile": &docker, "yml yaml": &yaml, "toml ini cfg conf": &toml, "json jsonc": &json, "sql": &sql, "lua": &lua,
		"html htm xml svg": &markup,
	} {
		for _, end := range strings.Fields(ends) {
			names[end] = c
		}
	}
	return names
}()
