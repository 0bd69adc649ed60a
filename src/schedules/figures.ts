/** What became of the times of schedules, in this process. */
export class ScheduleFigures {
  /** Times that made a root. */
  made = 0
  /** Those of them that began more than a minute late. */
  late = 0
  /** Times that passed while no process ran. They are not made up for. */
  missed = 0
  /** Times at which the root before was unfinished. */
  skipped = 0
  /** Times that could not make a root. */
  failed = 0
  /** Scheduled roots that have begun. */
  begun = 0
}
