package engine

// Here lets another dispatcher take the place of this machine's Host.
func Here(c *Config, d func(HostConfig, Center) Dispatcher) { c.here = d }
