// Package sdktest has the providers' own SDKs talk to the fake provider: they
// are the judge of what it says. It is a module of its own, so that the root
// needs none of them, and holds tests only.
package sdktest
