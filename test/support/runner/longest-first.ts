import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest tests. By default the runner begins with large files, which may be short tests. */
const LONG = `
  camera/trust camera/strangers store/postgres whole/readme camera/right cli/capture cli/copy whole/ssrf whole/package whole/load
  whole/capture-kill cli/commands gallery/accessible whole/database-faults whole/secrets capture/queue/postgres
  camera/browser-faults http/schedules http/streaming camera/steps gallery/getting-around gallery/hardship
  http/events whole/capture-soak schedules/exactly-once http/sharing gallery/roots
  camera/camera camera/camera-thread images/s3 store/sqlite cli/schedule-and-webhook http/archive
  whole/worlds whole/consistency whole/capture http/status camera/browser/install-browser gallery/coming-in
  client/watching gallery/hostile whole/ssrf-steps service/check-storages cli/copy-mistakes gallery/lightbox camera/expose
  capture/queue/sqlite whole/bucket-faults http/scheduled-roots cli/copy-differences camera/full-page
  webhooks/delivering gallery/many gallery/expiry gallery/capture bench/judge gallery/history
  http/connections camera/own-origin camera/scale whole/power-cut
`
  .trim()
  .split(/\s+/)

/** Long ones begin first, so that none of them remains alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONG.findIndex((name) => moduleId.includes(`/test/${name}.`))
      return place === -1 ? LONG.length : place
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}
