import type { Engine } from './database.ts'

type Change = (engine: Engine) => readonly string[]

/**
 * All changes of the tables, in their order. Changes are only added: a name keeps its meaning. During an upgrade of PostgreSQL,
 * instances of the version before use the tables, too.
 */
export const MIGRATIONS: Readonly<Record<string, Change>> = {
  '0001-results': ({ id }) => [
    `create table projects (
      project_id ${id} not null primary key,
      name text not null, created bigint not null, revision text not null
    )`,
    `create table roots (
      project_id ${id} not null references projects (project_id), root_id ${id} not null,
      created bigint not null, revision text not null, job_count integer not null, digest text not null,
      constraint roots_pk primary key (project_id, root_id)
    )`,
    'create index roots_newest_first on roots (project_id, created desc, root_id)',
    `create table jobs (
      project_id ${id} not null, root_id ${id} not null, position integer not null, uuid ${id} not null,
      url text not null, name text not null, loading_time integer not null, created bigint not null,
      basepath text not null, width integer not null, height integer not null,
      constraint jobs_pk primary key (project_id, root_id, position),
      constraint jobs_uuid unique (project_id, uuid),
      constraint jobs_root foreign key (project_id, root_id) references roots (project_id, root_id)
    )`,
    `create table keys (
      key_id text not null primary key,
      project_id ${id} not null references projects (project_id),
      hash text not null unique,
      scope text not null check (scope in ('read', 'write')),
      label text not null, created bigint not null, revoked bigint
    )`,
  ],

  '0002-claims': () => [
    'alter table roots add column claimed bigint',
    'alter table roots add column claimers integer default 0 not null',
    'create index roots_claimed on roots (project_id, claimed) where claimed is not null',
  ],

  '0003-captures': ({ id }) => [
    `create table requests (
      project_id ${id} not null, root_id ${id} not null, idempotency_key text,
      width integer not null, height integer not null, full_page integer not null,
      tags text not null, version integer not null,
      constraint requests_pk primary key (project_id, root_id),
      constraint requests_root foreign key (project_id, root_id) references roots (project_id, root_id),
      constraint requests_idempotency unique (project_id, idempotency_key)
    )`,
    `create table captures (
      project_id ${id} not null, root_id ${id} not null, position integer not null,
      url text not null, name text not null, loading_time integer not null,
      state text not null, turn integer not null, attempts integer not null, attempt ${id},
      due bigint not null, lease bigint, queued bigint not null, started bigint, finished bigint,
      reason text, detail text, cut integer not null, changed integer not null,
      constraint captures_pk primary key (project_id, root_id, position),
      constraint captures_request foreign key (project_id, root_id) references requests (project_id, root_id)
    )`,
    'create index captures_next on captures (turn, queued) where finished is null',
    'create index captures_of_project on captures (project_id, turn) where finished is null',
  ],

  '0004-browsing': ({ page }) => [
    'create index projects_oldest_first on projects (created, project_id)',
    // With `finished`, although it is always null: SQLite checks it, and would read the row otherwise.
    `create index captures_unfinished on captures (project_id, root_id, state, finished)
      where finished is null`,
    `create index jobs_of_page on jobs (project_id, ${page}, created desc, position, uuid)`,
  ],

  '0005-seen': () => [
    'alter table requests add column fail_on text',
    "alter table requests add column marks text default '{}' not null",
    'alter table captures add column seen text',
    // Only this mark is known of older captures.
    `update requests set marks = '{"cut":' || counted.captures || '}'
      from (select project_id, root_id, count(*) as captures from captures where cut = 1
            group by project_id, root_id) as counted
      where counted.project_id = requests.project_id and counted.root_id = requests.root_id`,
    "create index captures_failed on captures (project_id, root_id, position) where state = 'failed'",
  ],

  '0006-turns': ({ id }) => [
    `create table turns (
      project_id ${id} not null primary key references projects (project_id),
      used bigint not null, waiting integer not null, since bigint not null
    )`,
    'create index turns_next on turns (used, since, project_id) where waiting > 0',
    // All projects with waiting captures begin with the same use of the browser.
    `insert into turns (project_id, used, waiting, since)
      select project_id, 0, count(*), min(queued) from captures where finished is null group by project_id`,
    'drop index captures_next',
    "create index captures_queued on captures (queued) where state = 'queued'",
    "create index captures_running on captures (project_id, lease, started) where state = 'running'",
  ],

  '0007-deaths': () => [
    'alter table captures add column deaths integer default 0 not null',
    'create index captures_suspect on captures (project_id, turn) where finished is null and deaths >= 3',
  ],

  '0008-identity': () => ['create table identity (name text not null primary key, value text not null)'],

  // The options of a request become one column, and a page gets room for options of its own.
  '0009-capture-options': ({ oldVersionRuns }) => [
    "alter table requests add column options text default '' not null",
    `update requests set options = ${optionsOf('requests')}`,
    'alter table captures add column own_options text',
    ...(oldVersionRuns
      ? KEEP_OPTION_COLUMNS
      : ['width', 'height', 'full_page', 'tags', 'fail_on'].map(
          (column) => `alter table requests drop column ${column}`,
        )),
  ],

  '0010-life': ({ id }) => [
    'alter table requests add column finished bigint',
    'alter table requests add column outcome text',
    // Roots that ended before get their outcome, but no events: no client waits for those.
    `update requests set finished = counted.finished, outcome = counted.outcome
      from (select project_id, root_id, max(finished) as finished,
              case when min(state) <> max(state) then 'partial' else min(state) end as outcome
            from captures group by project_id, root_id having count(*) = count(finished)) as counted
      where counted.project_id = requests.project_id and counted.root_id = requests.root_id`,
    'create index requests_unfinished on requests (project_id, root_id) where finished is null',
    'alter table projects add column last_event bigint default 0 not null',
    'alter table projects add column removed bigint',
    'alter table projects add column last_removal bigint',
    `create table events (
      project_id ${id} not null, number bigint not null, kind text not null,
      root_id ${id} not null, position integer, created bigint not null,
      constraint events_pk primary key (project_id, number)
    )`,
    'create index events_of_root on events (project_id, root_id)',
    'create index events_oldest_first on events (created)',
  ],

  '0011-secrets': ({ id, oldVersionRuns }) => [
    `create table secrets (
      project_id ${id} not null, root_id ${id} not null, position integer not null, sealed text not null,
      constraint secrets_pk primary key (project_id, root_id, position),
      constraint secrets_capture foreign key (project_id, root_id, position)
        references captures (project_id, root_id, position) on delete cascade
    )`,
    ...(oldVersionRuns ? DELETE_SECRETS_AT_THE_END : []),
  ],

  // Where a root comes from: the time it was scheduled for, its template, its recurring schedule.
  '0012-origin': ({ id }) => [
    'alter table requests add column scheduled bigint',
    'alter table requests add column begun bigint',
    `alter table requests add column template_id ${id}`,
    `alter table requests add column schedule_id ${id}`,
    'alter table requests add column occurrence bigint',
    'alter table requests add column late_ms bigint',
    'alter table requests add column missed bigint',
    `create unique index requests_occurrence on requests (schedule_id, occurrence)
      where schedule_id is not null`,
    `create index requests_scheduled on requests (scheduled)
      where scheduled is not null and begun is null and finished is null`,
  ],

  '0013-templates': ({ id }) => [
    `create table templates (
      project_id ${id} not null references projects (project_id) on delete cascade,
      template_id ${id} not null,
      name text not null, request text not null, sealed text,
      created bigint not null, changed bigint not null, revision text not null, last_root ${id},
      constraint templates_pk primary key (project_id, template_id)
    )`,
    'create index templates_newest_first on templates (project_id, created desc, template_id)',
  ],

  '0014-schedules': ({ id }) => [
    `create table schedules (
      project_id ${id} not null references projects (project_id) on delete cascade,
      schedule_id ${id} not null,
      name text not null, template_id ${id}, request text, sealed text,
      cron text, timezone text, every text, overlap text not null, paused integer not null,
      next bigint, due bigint, created bigint not null, changed bigint not null, revision text not null,
      last_root ${id}, runs bigint not null, late bigint not null, skipped bigint not null,
      last_skipped bigint, problem text, problem_at bigint,
      constraint schedules_pk primary key (project_id, schedule_id)
    )`,
    'create index schedules_oldest_first on schedules (project_id, created, schedule_id)',
    'create index schedules_due on schedules (due) where due is not null',
  ],

  '0015-webhooks': ({ id }) => [
    `create table webhooks (
      webhook_id ${id} not null primary key,
      project_id ${id} not null references projects (project_id) on delete cascade,
      name text not null, url text not null, events text not null, format text not null,
      paused integer not null, secrets text not null,
      created bigint not null, changed bigint not null, revision text not null,
      after bigint not null, turn bigint not null, next_due bigint, failing_since bigint,
      off_since bigint, off_reason text, off_detail text
    )`,
    `create table deliveries (
      delivery_id ${id} not null primary key,
      project_id ${id} not null,
      webhook_id ${id} not null references webhooks (webhook_id) on delete cascade,
      number bigint, event text not null, root_id ${id}, position integer, created bigint not null,
      state text not null, attempts integer not null, due bigint, attempt ${id}, lease bigint,
      last_at bigint, last_ms integer, last_status integer, last_answer text, last_problem text,
      finished bigint,
      constraint deliveries_once unique (webhook_id, number)
    )`,
    'create index webhooks_of_project on webhooks (project_id, created, webhook_id)',
    'create index webhooks_on on webhooks (project_id, after) where paused = 0 and off_since is null',
    'create index webhooks_due on webhooks (next_due) where next_due is not null',
    'create index deliveries_newest on deliveries (webhook_id, created, delivery_id)',
    'create index deliveries_oldest on deliveries (created) where finished is null',
    `create index deliveries_due on deliveries (webhook_id, due)
      where finished is null and lease is null and due is not null`,
    'create index deliveries_of_root on deliveries (webhook_id, root_id, number) where finished is null',
    'create index deliveries_under_way on deliveries (webhook_id, root_id) where lease is not null',
  ],

  // A key for the whole service belongs to no project. The version before finds such a key, but it opens no project there.
  '0016-admin-keys': ({ id, schema }) => [
    // SQLite cannot change a constraint. Only SQLite has no schemas.
    ...(schema === undefined
      ? [
          'alter table keys rename to keys_before',
          `create table keys (
            key_id text not null primary key, project_id ${id} references projects (project_id),
            hash text not null unique, scope text not null, label text not null,
            created bigint not null, revoked bigint,
            constraint keys_scope_check check (${SCOPE_FITS})
          )`,
          `insert into keys
            select key_id, project_id, hash, scope, label, created, revoked from keys_before`,
          'drop table keys_before',
        ]
      : [
          `alter table keys alter column project_id drop not null, drop constraint keys_scope_check,
            add constraint keys_scope_check check (${SCOPE_FITS})`,
        ]),
    'create index keys_oldest_first on keys (created, key_id)',
    'create index keys_of_project on keys (project_id, created, key_id)',
  ],

  // Sessions of people who have signed out. The version before cannot open the cookies of this one, so it needs no rows.
  '0017-ended-sessions': () => [
    'create table ended_sessions (session text not null primary key, owner text not null, day integer not null)',
    'create index ended_sessions_of_owner on ended_sessions (owner)',
    'create index ended_sessions_of_day on ended_sessions (day)',
    `create table session_days (
      one integer not null primary key, day integer not null, begun bigint not null
    )`,
  ],

  // What delivering needs to share its slots, to drain a backlog, and to stand a clock that jumps.
  '0018-delivering': () => [
    'alter table webhooks add column failing_ms bigint default 0 not null',
    'alter table webhooks add column last_failed bigint',
    'alter table deliveries add column since bigint',
    'create table times (name text not null primary key, time bigint not null)',
    'drop index deliveries_due',
    // With the number: after a replay, thousands are due at the same time.
    `create index deliveries_due on deliveries (webhook_id, due, number)
      where finished is null and lease is null and due is not null`,
    `create index deliveries_since on deliveries (since)
      where finished is null and lease is null and since is not null`,
    'create index deliveries_by_state on deliveries (webhook_id, state, created, delivery_id)',
    'create index webhooks_turn on webhooks (turn, webhook_id)',
  ],

  // A job says which picture it has. Null: the picture has the name of its job.
  '0019-pictures': () => ['alter table jobs add column picture text'],
}

/** The JSON that replaces the columns of a row. */
function optionsOf(row: string): string {
  return `concat('{"width":', ${row}.width, ',"height":', ${row}.height,
    ',"fullPage":', case ${row}.full_page when 1 then 'true' else 'false' end, ',"tags":', ${row}.tags,
    case ${row}.fail_on when 'status' then ',"failOn":"status"' else '' end, '}')`
}

// A later migration can drop the columns, the triggers and the functions for the version before: this version does not use them.

/** The version before still reads and writes the columns. A trigger fills in the columns or the JSON, whichever is missing. */
const KEEP_OPTION_COLUMNS = [
  `create function requests_of_two_versions() returns trigger language plpgsql as $$
    begin
      if new.options = '' then
        new.options := ${optionsOf('new')};
      else
        new.width := (new.options::jsonb ->> 'width')::integer;
        new.height := (new.options::jsonb ->> 'height')::integer;
        new.full_page := case new.options::jsonb ->> 'fullPage' when 'true' then 1 else 0 end;
        new.tags := new.options::jsonb ->> 'tags';
        new.fail_on := new.options::jsonb ->> 'failOn';
      end if;
      return new;
    end $$`,
  `create trigger requests_of_two_versions before insert on requests
    for each row execute function requests_of_two_versions()`,
]

/** The version before does not delete the secrets of a page that it ends. */
const DELETE_SECRETS_AT_THE_END = [
  `create function secrets_of_two_versions() returns trigger language plpgsql as $$
    begin
      delete from secrets
        where project_id = new.project_id and root_id = new.root_id and position = new.position;
      return null;
    end $$`,
  `create trigger secrets_of_two_versions after update of finished on captures
    for each row when (new.finished is not null) execute function secrets_of_two_versions()`,
]

const SCOPE_FITS = `(scope in ('read', 'write') and project_id is not null)
  or (scope = 'admin' and project_id is null)`
