package views

// Doctor is what the checks of this machine found.
type Doctor struct {
	Frame   Frame
	Checked bool // at least once
	Running bool
	Words   string
	At      Clock
	Checks  []DoctorCheck
}

// DoctorCheck is one of them.
type DoctorCheck struct {
	What, Says, Took string
	State            State
}
