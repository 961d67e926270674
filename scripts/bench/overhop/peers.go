package overhop

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"miramundo.dev/scripts/bench/overhop/ceiling"
	"miramundo.dev/scripts/bench/overhop/manyorigins"
	"miramundo.dev/scripts/bench/process"
	"miramundo.dev/scripts/bench/report"
)

// A peer is another program that rewrites playlists, measured beside the hop.
type peer struct {
	name string
	base string
	path string
	pid  int
	goal *report.Goal // of its CPU time, divided by that of the hop; nil for none
	cmd  *exec.Cmd
}

// startPeers starts the peers that are installed, and notes which are not.
func (b *bench) startPeers(ctx context.Context) error {
	for _, start := range []func(context.Context, string) (peer, error){b.startHLSProxy, b.startNginx} {
		port, err := freePort()
		if err != nil {
			return err
		}
		p, err := start(ctx, port)
		if err != nil {
			b.missing = append(b.missing, err.Error())
			continue
		}
		p.base = "http://127.0.0.1:" + port
		if err := p.cmd.Start(); err != nil {
			return err
		}
		b.peers = append(b.peers, p)
		last := &b.peers[len(b.peers)-1]
		last.pid = p.cmd.Process.Pid
		if err := last.await(ctx); err != nil {
			return err
		}
	}
	return nil
}

// endPeers stops the peers.
func (b *bench) endPeers() {
	for _, p := range b.peers {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = p.cmd.Wait()                          // the status of a stopped process does not matter
	}
	b.peers = nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// await waits until the peer rewrites a playlist, and pins it to one core.
func (p *peer) await(ctx context.Context) error {
	deadline := time.Now().Add(15 * time.Second)
	for {
		a, err := ceiling.Fetch(ctx, p.base+p.path, "identity")
		if err == nil && strings.Count(string(a.Body), "127.0.0.1") < manyorigins.Lines/2 {
			return fmt.Errorf("%s does not rewrite: %.300s", p.name, a.Body)
		}
		if err == nil {
			for _, id := range append(process.Children(p.pid), p.pid) {
				if err := process.Pin(id, 0); err != nil {
					return err
				}
			}
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%s does not answer: %w", p.name, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// startHLSProxy returns the peer hls-proxy, which runs on Node. It is not started.
func (b *bench) startHLSProxy(ctx context.Context, port string) (peer, error) {
	main := filepath.Join(b.PeersDir, "node_modules", "@warren-bank", "hls-proxy", "hls-proxy", "bin", "hlsd.js")
	if _, err := os.Stat(main); err != nil {
		return peer{}, fmt.Errorf("hls-proxy is not installed: npm ci --prefix %s installs it", b.PeersDir)
	}
	url := b.origin.URLs("live", 1)[0]
	return peer{
		name: "hls-proxy 3.6.6", goal: report.HopOfPeer,
		path: "/" + base64.StdEncoding.EncodeToString([]byte(url)) + ".m3u8",
		cmd:  exec.CommandContext(ctx, "node", main, "--host", "127.0.0.1:"+port, "--port", port, "-v", "0"),
	}, nil
}

// nginxConf replaces the beginning of each reference with an absolute address. It
// replaces text and does not parse playlists, so it is a lower bound.
const nginxConf = `daemon off;
worker_processes 1;
pid %[1]s/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  upstream origin { server %[3]s; keepalive 32; }
  server {
    listen 127.0.0.1:%[2]s;
    location / {
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      sub_filter_types *;
      sub_filter_once off;
      sub_filter "\nsegments/" "\nhttp://%[3]s/live/segments/";
    }
  }
}
`

// startNginx returns the peer nginx with its sub_filter. It is not started.
func (b *bench) startNginx(ctx context.Context, port string) (peer, error) {
	version, err := exec.CommandContext(ctx, "nginx", "-V").CombinedOutput()
	if err != nil || !strings.Contains(string(version), "http_sub_module") {
		return peer{}, errors.New("nginx with http_sub_module is not installed: apt-get install nginx-light installs it (the service of the system is not needed)")
	}
	dir := filepath.Join(b.dir, "nginx")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return peer{}, err
	}
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(nginxConf, dir, port, b.origin.Addrs[0])
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		return peer{}, err
	}
	return peer{name: "nginx sub_filter", path: "/live/0", cmd: exec.CommandContext(ctx, "nginx", "-c", conf, "-e", "stderr")}, nil
}
