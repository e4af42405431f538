package acp

// KeepConversation lets a test choose the time of a resume.
var KeepConversation = keepConversation
