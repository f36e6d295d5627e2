// Package browsertest looks at the live page and at the report with the eyes of
// a real Chromium. It is a module of its own so that the driver of the browser
// is nobody else's dependency.
package browsertest
