/** Takes a database back to before migration 18. */
export const BEFORE_DELIVERING = `alter table jobs drop column picture; delete from kysely_migration where name = '0019-pictures';
  drop table times; drop index webhooks_turn; drop index deliveries_since; drop index deliveries_by_state; drop index deliveries_due;
  create index deliveries_due on deliveries (webhook_id, due) where finished is null and lease is null and due is not null;
  alter table webhooks drop column failing_ms; alter table webhooks drop column last_failed;
  alter table deliveries drop column since;
  delete from kysely_migration where name = '0018-delivering';`
