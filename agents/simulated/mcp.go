package simulated

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

// server is the client of an MCP server. It knows as much JSON-RPC over HTTP as a run
// needs.
type server struct {
	name   string
	url    string
	header map[string]string
	http   *http.Client
	ids    atomic.Int64
}

// protocol is the client's MCP version. Every later server supports its handshake.
const protocol = "2025-06-18"

// openServer reads the MCP configuration (a file, or JSON itself) and returns
// its first HTTP server. ${NAME} in a header is taken from the environment.
func openServer(config string, getenv func(string) string) (*server, error) {
	raw := []byte(config)
	if !strings.HasPrefix(strings.TrimSpace(config), "{") {
		var err error
		if raw, err = os.ReadFile(config); err != nil {
			return nil, fmt.Errorf("read MCP config: %w", err)
		}
	}
	var file struct {
		Servers map[string]struct {
			Type    string            `json:"type"`
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("read MCP config: %w", err)
	}
	entry, there := file.Servers["quest"]
	if !there || entry.URL == "" {
		return nil, fmt.Errorf("read MCP config: there is no server called quest with a url")
	}
	s := &server{name: "quest", url: entry.URL, header: map[string]string{}, http: &http.Client{}}
	for key, value := range entry.Headers {
		s.header[key] = os.Expand(value, getenv)
	}
	return s, nil
}

// open does the handshake and returns the names of the server's tools.
func (s *server) open(ctx context.Context) ([]string, error) {
	if _, err := s.request(ctx, "initialize", map[string]any{
		"protocolVersion": protocol, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "simulated-agent", "version": "1"},
	}); err != nil {
		return nil, err
	}
	if _, err := s.send(ctx, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return nil, err
	}
	raw, err := s.request(ctx, "tools/list", map[string]any{})
	if err != nil {
		return nil, err
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	names := make([]string, len(list.Tools))
	for i, t := range list.Tools {
		names[i] = t.Name
	}
	return names, nil
}

// call makes one tools/call. If the tool returns an error, refused is true and text has
// the error. err means that there was no answer.
func (s *server) call(ctx context.Context, tool string, input map[string]any) (text string, refused bool, err error) {
	raw, err := s.request(ctx, "tools/call", map[string]any{"name": tool, "arguments": input})
	if err != nil {
		return "", false, err
	}
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", false, fmt.Errorf("read result: %w", err)
	}
	var texts []string
	for _, c := range result.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n"), result.IsError, nil
}

func (s *server) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, err := s.send(ctx, map[string]any{"jsonrpc": "2.0", "id": s.ids.Add(1), "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	var reply struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return nil, fmt.Errorf("%s: answer is not JSON-RPC: %w", method, err)
	}
	if reply.Error != nil {
		return nil, fmt.Errorf("MCP error %d: %s", reply.Error.Code, reply.Error.Message)
	}
	return reply.Result, nil
}

// send posts one message and returns the answer's JSON, even from a stream.
func (s *server) send(ctx context.Context, message any) ([]byte, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", protocol)
	for key, value := range s.header {
		req.Header.Set(key, value)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask MCP server: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if resp.StatusCode >= http.StatusBadRequest && !json.Valid(raw) {
		return nil, fmt.Errorf("MCP server answered %s", resp.Status)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return lastEvent(raw), nil
	}
	return raw, nil
}

// lastEvent returns the data of a stream's last event: the response itself.
func lastEvent(stream []byte) []byte {
	var data []byte
	lines := bufio.NewScanner(bytes.NewReader(stream))
	lines.Buffer(nil, len(stream)+1)
	for lines.Scan() {
		if d, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok {
			data = bytes.Clone(bytes.TrimSpace(d))
		}
	}
	return data
}
