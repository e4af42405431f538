package handlers

import (
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/views"
	"questboard/web/paths"
)

// DoctorPage shows the last results.
func (p *Pages) DoctorPage(c echo.Context) error {
	view := p.doctorView()
	if partial(c) {
		return render(c, http.StatusOK, views.DoctorReport(view))
	}
	view.Frame = p.frame("Doctor", views.SectionSettings)
	return render(c, http.StatusOK, views.DoctorPage(view))
}

// RunDoctor checks again.
func (p *Pages) RunDoctor(c echo.Context) error {
	p.Doctor.Examine()
	return see(c, paths.Doctor)
}

func (p *Pages) doctorView() views.Doctor {
	report := p.Doctor.Report()
	view := views.Doctor{Checked: !report.At.IsZero(), At: views.Since(report.At, p.Clock())}
	bad := 0
	for _, f := range report.Findings {
		check := views.DoctorCheck{What: views.Visible(f.What), Says: present.Sentence(f.Says),
			State: views.State{Class: "good", Icon: "✓", Words: "Fine"}}
		switch {
		case f.Running:
			view.Running = true
			check.State, check.Says = views.State{Class: "running", Icon: "◐", Words: "Checking"}, "This takes at most 30 seconds."
		case f.Bad:
			bad++
			check.State = views.State{Class: "bad", Icon: "✕", Words: "Missing"}
		case f.Idle != "":
			check.State = views.State{Class: "idle", Icon: "○", Words: present.Sentence(f.Idle)}
		}
		if f.Took >= 100*time.Millisecond {
			check.Took = f.Took.Round(100 * time.Millisecond).String()
		}
		view.Checks = append(view.Checks, check)
	}
	switch {
	case view.Running:
		view.Words = "Checking"
	case bad == 0:
		view.Words = "A quest can run here"
	default:
		view.Words = fmt.Sprintf("A quest cannot run here: %s", views.Count(bad, "thing is missing", "things are missing"))
	}
	return view
}
