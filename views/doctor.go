package views

// Doctor has the results of the checks of this machine.
type Doctor struct {
	Frame   Frame
	Checked bool // the checks have run at least once
	Running bool
	Words   string
	At      Clock
	Checks  []DoctorCheck
}

// DoctorCheck is the result of one check.
type DoctorCheck struct {
	What, Says, Took string
	State            State
}
