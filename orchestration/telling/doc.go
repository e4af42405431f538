// Package telling tells people of what happens, wherever they are. A commit stores notices
// with the events that they are about. One loop puts them into messages, one or more for
// each channel, and sends these until they arrive:
//
//	commit ──▶ notices ──▶ messages ──▶ channel
//	                          ▲ marked: sent, or tried again later
//
// Whatever happens in between, a kill included, a notice is in the database until its
// message is, and a message until it has arrived or a day has passed. What is sent twice
// has the same ids. The formats of the channels are in package channel.
package telling
