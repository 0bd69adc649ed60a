import type { SettingName, SettingValue } from './settings.ts'

/** The value of a setting that has a default. */
type Need = <N extends SettingName>(name: N) => SettingValue<N>

export interface Limits {
  readonly listPage: number
  /** Templates of one project. */
  readonly templates: number
  readonly jobsPerRoot: number
  readonly pictureBytes: number
  readonly picturePixels: number
  readonly urls: number
  /** Pages of one project that may wait. */
  readonly pagesWaiting: number
  /** Pages of one project that may be scheduled for later. */
  readonly pagesScheduled: number
  /** Recurring schedules of one project. */
  readonly schedules: number
  readonly scheduleIntervalMs: number
  readonly loadingMs: number
  readonly viewportWidth: number
  readonly viewportHeight: number
  /** Bytes that one captured page may load. */
  readonly pageBytes: number
  /** Bytes of the picture of a captured page. */
  readonly captureBytes: number
  readonly bodyBytes: number
  /** Memory for all request bodies together. */
  readonly bodiesBytes: number
  /** Memory for all answers that are not read yet. */
  readonly unreadBytes: number
  readonly cacheBytes: number
  readonly connections: number
  /** Open answers that wait for news, for each client. */
  readonly streams: number
  readonly requestMs: number
  readonly idleMs: number
  readonly responseMs: number
  readonly shutdownMs: number
}

export function readLimits(need: Need): Limits {
  return Object.freeze({
    listPage: need('PAGE_LIMIT'),
    templates: need('MAX_TEMPLATES'),
    jobsPerRoot: need('MAX_JOBS_PER_ROOT'),
    pictureBytes: need('MAX_PICTURE_BYTES'),
    picturePixels: need('MAX_PICTURE_PIXELS'),
    urls: need('MAX_URLS_PER_REQUEST'),
    pagesWaiting: need('MAX_PAGES_WAITING'),
    pagesScheduled: need('MAX_PAGES_SCHEDULED'),
    schedules: need('MAX_SCHEDULES'),
    scheduleIntervalMs: need('MIN_SCHEDULE_INTERVAL'),
    loadingMs: need('MAX_LOADING_TIME'),
    viewportWidth: need('MAX_VIEWPORT_WIDTH'),
    viewportHeight: need('MAX_VIEWPORT_HEIGHT'),
    pageBytes: need('MAX_PAGE_BYTES'),
    captureBytes: need('MAX_CAPTURE_BYTES'),
    bodyBytes: need('MAX_BODY_BYTES'),
    bodiesBytes: need('MAX_BODIES_BYTES'),
    unreadBytes: need('MAX_UNREAD_BYTES'),
    cacheBytes: need('CACHE_BYTES'),
    connections: need('MAX_CONNECTIONS'),
    streams: need('MAX_STREAMS_PER_CLIENT'),
    requestMs: need('REQUEST_TIMEOUT'),
    idleMs: need('IDLE_TIMEOUT'),
    responseMs: need('RESPONSE_TIMEOUT'),
    shutdownMs: need('SHUTDOWN_TIMEOUT'),
  })
}
