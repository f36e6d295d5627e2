package fakeserver

import (
	"net/http"
	"strconv"

	"example.com/replaycheck/internal/wire"
)

// shape is the form in which an API writes errors.
type shape uint8

const (
	openaiShape shape = iota
	googleShape
	googleList // in a list of one, as where a list of chunks was asked for
	anthropicShape
)

// ErrorBody is the body of an error of ours, in the shape of the API that a method and
// an unescaped path belong to; OpenAI's where they belong to none.
func ErrorBody(method, path string, status int, message string) string {
	return route(method, path, "").refusal(status, message).text
}

// refusal is an error of ours in the shape of the API that was called.
func (c call) refusal(status int, message string) *form {
	text := wire.Quote("replaycheck's fake provider: " + message)
	switch c.shape {
	case googleShape, googleList:
		text = `{"error":{"code":` + strconv.Itoa(status) + `,"message":` + text + `,"status":"` + googleStatus(status) + `"}}`
		if c.shape == googleList {
			text = "[" + text + "]"
		}
	case anthropicShape:
		kind := "invalid_request_error"
		switch status {
		case http.StatusNotFound:
			kind = "not_found_error"
		case http.StatusRequestEntityTooLarge:
			kind = "request_too_large"
		case http.StatusServiceUnavailable:
			kind = "overloaded_error"
		}
		text = `{"type":"error","error":{"type":"` + kind + `","message":` + text + `}}`
	default:
		text = `{"error":{"message":` + text + `,"type":"invalid_request_error","param":null,"code":null}}`
	}
	return newForm(Reply{Status: status}, jsonType, text, nil)
}

func googleStatus(status int) string {
	switch status {
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	}
	return "INVALID_ARGUMENT"
}
