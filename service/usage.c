/* Usage and limits of contexts and sessions: processor time, and the time of a job. */
#include <errno.h>
#include <stdio.h>

#include "service/context.h"
#include "service/metrics.h"
#include "service/server_impl.h"
#include "service/session.h"

void usage_add(struct pica_usage *sum, const struct pica_usage *more) {
	sum->cpu_ns += more->cpu_ns;
	sum->jobs += more->jobs;
	sum->list_words += more->list_words;
	sum->vertices += more->vertices;
	sum->pixels += more->pixels;
	sum->written_bytes += more->written_bytes;
}

void session_live_usage(const struct session *s, struct pica_usage *sum) {
	for (const struct context *c = s->contexts; c; c = c->next_context) {
		struct pica_usage used = { .size = sizeof(used) };
		pica_usage(c->ctx, &used);
		usage_add(sum, &used);
	}
}

void session_usage(const struct session *s, struct pica_usage *sum) {
	*sum = s->gone;
	session_live_usage(s, sum);
}

void context_usage_ends(const struct context *c) {
	struct pica_usage used = { .size = sizeof(used) };
	pica_usage(c->ctx, &used);
	usage_add(&c->session->gone, &used);
	usage_add(&c->session->server->metrics.gone, &used);
}

/* ---- Processor time ---- */

static const uint64_t second_ns = 1000000000;

static bool is_metered(const struct session *s) {
	return s->limits.cpu_ns_per_s || s->server->settings.user_cpu_ns_per_s;
}

static void fill(struct cpu_bucket *b, uint64_t quota, uint64_t now, uint64_t used_ns) {
	if (!quota) {
		*b = (struct cpu_bucket){ .at_ns = now };
		return;
	}
	uint64_t elapsed = now - b->at_ns;
	elapsed = elapsed < second_ns ? elapsed : second_ns;
	b->allowance_ns += (int64_t)(elapsed * (quota / 1000) / (second_ns / 1000));
	b->allowance_ns -= (int64_t)used_ns;
	b->allowance_ns = b->allowance_ns < (int64_t)quota ? b->allowance_ns : (int64_t)quota;
	b->at_ns = now;
}

/* Returns the time until the bucket holds a hundredth of a second; 0 if it is not empty. */
static uint64_t time_to_fill(const struct cpu_bucket *b, uint64_t quota) {
	if (!quota || b->allowance_ns > 0) {
		return 0;
	}
	const uint64_t lacks = (uint64_t)-b->allowance_ns + quota / 100 + 1;
	return lacks / (quota / 1000 + 1) * (second_ns / 1000) + 1;
}

static void look(struct session *s) {
	const uint64_t now = loop_now_ns();
	struct user_account *user = s->account;
	struct pica_usage used;
	session_usage(s, &used);
	/* Time used before the quota was set does not count. */
	const uint64_t more = s->cpu.at_ns && used.cpu_ns > s->cpu_used ?
			used.cpu_ns - s->cpu_used :
			0;
	s->cpu_used = used.cpu_ns;
	fill(&s->cpu, s->limits.cpu_ns_per_s, now, more);
	const uint64_t in_loop = user->cpu.at_ns ? user->share.used_ns - user->loop_ns : 0;
	user->loop_ns = user->share.used_ns;
	fill(&user->cpu, s->server->settings.user_cpu_ns_per_s, now, more + in_loop);
}

void session_unthrottle(struct session *s) {
	loop_timer_unset(s->server->loop, &s->cpu_timer);
	s->is_throttled = false;
	session_mark(s);
}

static void on_cpu_again(void *owner) {
	session_unthrottle(owner);
}

static bool is_ample(const struct cpu_bucket *b, uint64_t quota) {
	return !quota || b->allowance_ns > (int64_t)(quota / 2);
}

bool session_has_ample_time(const struct session *s) {
	return is_ample(&s->cpu, s->limits.cpu_ns_per_s) &&
			is_ample(&s->account->cpu, s->server->settings.user_cpu_ns_per_s);
}

bool session_may_run(struct session *s) {
	if (!is_metered(s) || s->server->is_stopping) {
		s->cpu.at_ns = s->account->cpu.at_ns = 0;
		return true; /* finish the jobs that were taken */
	}
	if (s->is_throttled) {
		return false;
	}
	look(s);
	const uint64_t own = time_to_fill(&s->cpu, s->limits.cpu_ns_per_s);
	const uint64_t users = time_to_fill(
			&s->account->cpu, s->server->settings.user_cpu_ns_per_s);
	if (!own && !users) {
		return true;
	}
	s->is_throttled = true;
	s->server->metrics.throttled++;
	s->cpu_timer.fn = on_cpu_again;
	s->cpu_timer.owner = s;
	loop_timer_set(s->server->loop, &s->cpu_timer,
			loop_now_ns() + (own > users ? own : users));
	return false;
}

void session_meter(struct session *s) {
	if (is_metered(s)) {
		look(s);
	}
}

/* ---- A job that takes too long ---- */

/*
 * Runs twice within the time limit of a job. Elapsed time alone does not count, since the job may
 * wait for its turn, or the machine may be busy: its context must have used as much processor time,
 * or occupied the command thread for as long.
 */
static void on_job_watch(void *owner) {
	struct context *c = owner;
	struct session *s = c->session;
	const uint64_t ceiling = s->server->settings.job_ns, now = loop_now_ns();
	struct pica_usage used = { .size = sizeof(used) };
	c->is_job_watched = false;
	if (!c->engine_jobs || !ceiling) {
		return;
	}
	pica_usage(c->ctx, &used);
	if (c->watched_job != c->engine_done) {
		c->watched_job = c->engine_done;
		c->watched_at_ns = now;
		c->watched_cpu_ns = used.cpu_ns;
	}
	const uint64_t took = now - c->watched_at_ns;
	const bool is_working =
			used.cpu_ns >= c->watched_cpu_ns + ceiling || used.running_ns >= ceiling;
	if (took >= ceiling && is_working) {
		char why[PICA_TEXT_BYTES];
		snprintf(why, sizeof(why), "a job took longer than job-seconds, %llu",
				(unsigned long long)(ceiling / second_ns));
		pica_ctx_abandon(c->ctx);
		session_break(s, -ETIME, why);
		return;
	}
	context_watch_job(c);
}

void context_watch_job(struct context *c) {
	const uint64_t ceiling = c->session->server->settings.job_ns;
	if (ceiling && !c->is_job_watched) {
		c->is_job_watched = true;
		c->job_timer.fn = on_job_watch;
		c->job_timer.owner = c;
		loop_timer_set(c->session->server->loop, &c->job_timer,
				loop_now_ns() + ceiling / 2);
	}
}
