import type { Selectable } from 'kysely'
import type { ApiKey, Job, Project, RootHead, StoredKey } from '../store.ts'
import type { Schema } from './schema.ts'

// Rows as the tables hold them to what the store answers.

export function toProject(row: Selectable<Schema['projects']>): Project {
  return { projectId: row.project_id, name: row.name, created: row.created, revision: row.revision }
}

export function toRootHead(
  row: Omit<Selectable<Schema['roots']>, 'project_id' | 'claimed' | 'claimers'>,
): RootHead {
  return {
    rootId: row.root_id,
    created: row.created,
    revision: row.revision,
    jobCount: row.job_count,
    digest: row.digest,
  }
}

export function toJob(row: Selectable<Schema['jobs']>): Job {
  return {
    rootId: row.root_id,
    position: row.position,
    uuid: row.uuid,
    url: row.url,
    name: row.name,
    loadingTime: row.loading_time,
    created: row.created,
    basepath: row.basepath,
    width: row.width,
    height: row.height,
  }
}

export function toApiKey(row: Selectable<Schema['keys']>): ApiKey {
  return {
    keyId: row.key_id,
    projectId: row.project_id,
    scope: row.scope,
    label: row.label,
    created: row.created,
    revoked: row.revoked ?? undefined,
  }
}

export function toStoredKey(row: Selectable<Schema['keys']>): StoredKey {
  return { ...toApiKey(row), hash: row.hash }
}
