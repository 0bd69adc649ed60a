/** What was begun and not ended: a root, or without one its whole project. */
export interface Interrupted {
  readonly projectId: string
  readonly rootId: string | undefined
  /** When the removal of the project began. */
  readonly since: number | undefined
}

/**
 * Removing. Each piece is one short transaction, whatever is removed: nobody waits long for it. Its answer are the ids of
 * jobs whose rows are gone, so that their pictures can go. What was removed stays removed, whatever happens then; what is
 * left of it `findInterrupted` answers, and the same call goes on with it. Absence is an answer, not an error. Throws as
 * the store does.
 */
export interface Removals {
  /**
   * A root with its jobs, its request, its pages that wait or are under way, and its events. The first piece hides all of
   * it and gives the project a new revision; a small root has no other. An attempt that is under way then is not the last one any
   * more. No piece at all: there is no such root, or it is still being added.
   */
  removeRoot(projectId: string, rootId: string, now: number): AsyncGenerator<readonly string[]>
  /**
   * One job, its page of the request, and its events. The root stays, and stays as finished as it was. False where there is no such
   * job, or its root is still being added.
   */
  removeJob(projectId: string, uuid: string, now: number): Promise<boolean>
  /**
   * A project with its keys and all its roots. The first piece hides it and revokes its keys; then its roots go one by one. A root that is being
   * added is never shown, and goes when its claim is over. The id stays taken until `forgetProject`. No piece: there is no such project.
   */
  removeProject(projectId: string, now: number): AsyncGenerator<readonly string[]>
  /** Removals that have not come to their end, here or in other processes. Projects are among them until they are forgotten. */
  findInterrupted(): Promise<Interrupted[]>
  /** When something of this project was last removed, as far as is known. */
  findLast(projectId: string): Promise<number | undefined>
  /** Removes the last row of a removed project. False where it is not being removed, or still has roots. */
  forgetProject(projectId: string): Promise<boolean>
}
