package repomap

// ReadWithin is Read with other limits for the list of files and for what is read.
var ReadWithin = readWithin
