// Package live keeps open pages up to date: one websocket per tab, through which the
// server sends the HTML of changed elements and new lines of logs. It owns the sockets,
// the subscriptions and the protocol. What the HTML looks like is left to the Renderer.
//
// A change is only a notification: Hub.Changed names a topic and carries no content.
// For each client the hub keeps a SET of topics to render and not a queue. So a slow
// browser gets fewer frames but never old ones, and its memory is limited. The content
// is read at the moment of sending.
//
// Topics are paths: a page that subscribes to "board/q1" gets what changes at
// "board/q1" and at everything below, such as "board/q1/parse-config".
//
// Frames down, as JSON:
//
//	{"t":"hello","epoch":…,"beat":ms}       the first; another epoch: the server was restarted
//	{"t":"beat"}                            the server is there; one comes every so many ms
//	{"t":"html","seq":n,"html":…}           elements by id (static/js/patch.js)
//	{"t":"stale","seq":n,"key":topic}       too much has changed to patch: read the page again
//	{"t":"log","seq":n,"key":…,"at":m,"lines":[…]}
//	{"t":"say","text":…}                    a sentence for the announcer
//
// Frames up:
//
//	{"sub":topic,"from":version}            from: what the page was rendered from
//	{"sub":"log:RUN","from":line}           from: the first line that is wanted, from 0
//	{"unsub":key}
//	{"ack":seq}                             painted: the next flush may come
package live
