package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"questboard/views"
)

// Graph shows the plan as a picture: ?focus=STEP dims the unrelated steps, ?all=1 also
// shows the steps that were replaced.
func (p *Pages) Graph(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	frame := p.questFrame(nil, q, "Plan · "+q.Title, views.TabPlan)
	frame.Topic, frame.Version = graphTopic(q.ID, ""), q.Version
	g := p.present(q).Graph(c.QueryParam("focus"), c.QueryParam("all") != "")
	g.Frame = frame
	return render(c, http.StatusOK, views.GraphPage(g))
}

// graph renders the changes of a picture. If its shape changed, the page reloads
// itself.
func (r *renderer) graph(quest string, changed *changes) {
	_, p := r.quest(quest)
	if p == nil {
		return
	}
	g := p.GraphNodes(true)
	r.add(views.GraphShape(views.Graph{Shape: p.GraphShape()}))
	for _, n := range g {
		if changed.all || changed.steps[n.ID] {
			r.add(views.GraphNodeView(n))
			r.add(views.GraphListed(n))
		}
	}
}
