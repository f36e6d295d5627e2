//go:build unix

package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func listen(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	// A command that ends too early must not keep the test waiting for ever.
	if err := l.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return l
}

// start starts cmd, which is no more when the test ends.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
}

func exitOf(err error) (code int, signal syscall.Signal) {
	exit, ok := err.(*exec.ExitError) //nolint:errorlint // Wait returns it as it is
	if !ok {
		return 0, 0
	}
	status, _ := exit.Sys().(syscall.WaitStatus)
	return exit.ExitCode(), status.Signal()
}

// Ctrl-C while a driver hangs: one line, exit code 2, no process and no report
// left.
func TestInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, how := range []string{"hang", "+hang"} {
			t.Run(signal.String()+" "+how, func(t *testing.T) {
				g := NewWithT(t)
				l := listen(t)
				dir := t.TempDir()
				var stdout, stderr bytes.Buffer
				cmd := exec.Command("replaycheck", "run", "--subject", "drv "+how+" "+l.Addr().String(),
					"--json", "r.json", "--junit", "r.xml", "--keep", "kept")
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
				start(t, cmd)
				driver, err := l.Accept()
				g.Expect(err).NotTo(HaveOccurred())
				defer driver.Close()

				g.Expect(cmd.Process.Signal(signal)).To(Succeed())
				code, _ := exitOf(cmd.Wait())
				g.Expect(code).To(Equal(2))
				g.Expect(stderr.String()).To(Equal("replaycheck: run: interrupted, no report was written\n"))
				g.Expect(stdout.String()).To(BeEmpty())
				_, err = driver.Read(make([]byte, 1))
				g.Expect(err).To(HaveOccurred(), "the driver is still there")
				g.Expect(os.ReadDir(dir)).To(BeEmpty(), "a file was left")
			})
		}
	}
}

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	g := NewWithT(t)
	l := listen(t)
	cmd := exec.Command("stubborn", l.Addr().String())
	start(t, cmd)
	conn, err := l.Accept()
	g.Expect(err).NotTo(HaveOccurred())
	defer conn.Close()
	for _, want := range []string{"r", "1"} {
		got := make([]byte, 1)
		_, err := io.ReadFull(conn, got)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(got)).To(Equal(want))
		g.Expect(cmd.Process.Signal(os.Interrupt)).To(Succeed())
	}
	_, signal := exitOf(cmd.Wait())
	g.Expect(signal).To(Equal(syscall.SIGINT))
}
