// Package fakeserver plays scripted replies of LLM providers over real HTTP and
// records every request byte for byte.
//
// One [Server] listens on the loopback interface and serves any number of runs
// at once. A run is a [Play]: a [Script] of replies behind a base URL of its
// own. Requests take the replies in the order in which their bodies arrived;
// whatever the script does not foresee is recorded too, and refused in the
// called API's own error shape. It judges nothing: the [Record] is evidence.
//
// It knows what the providers refuse ([Rules]): a request that breaks a rule has
// the refusal in its [Exchange], and gets it where [Script.Enforce] says so.
// Questions beside the conversation, for models, token counts and embeddings,
// are answered without the script. What may go wrong on the way of a reply is a
// [Fault].
package fakeserver
