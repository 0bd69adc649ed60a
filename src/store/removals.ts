/** A removal that has not ended: of a root, or, if it has no root, of the whole project. */
export interface Interrupted {
  readonly projectId: string
  readonly rootId: string | undefined
  /** When the removal of the project began. */
  readonly since: number | undefined
}

/**
 * Removes rows. Each step is one short transaction, so that other writers do not wait long. It yields the names of pictures
 * whose rows are gone, so that the pictures can be removed. If it stops in between, removed rows stay removed;
 * `findInterrupted` finds the rest, and the same call continues. Something that does not exist is not an error. Errors are
 * those of `Store`.
 */
export interface Removals {
  /**
   * A root with its jobs, its request, its captures and its events. The first step hides all of it and gives the project a new
   * revision. A small root needs only this step. Attempts under way are not the last ones any more. No step: there is no such
   * root, or it is still being added.
   */
  removeRoot(projectId: string, rootId: string, now: number): AsyncGenerator<readonly string[]>
  /**
   * One job, its capture and its events. The root stays, and keeps its state. Returns the name of its picture. Undefined if there is
   * no such job, or its root is still being added.
   */
  removeJob(projectId: string, uuid: string, now: number): Promise<string | undefined>
  /**
   * A project with its keys and all its roots. The first step hides it and removes everything that holds or is a secret: its
   * keys, templates, schedules, webhooks with their deliveries, and sealed texts. Then its roots are removed one by one. A root that is being added is never shown, and is removed when its claim is over. The id stays taken until
   * `forgetProject`. No step: there is no such project.
   */
  removeProject(projectId: string, now: number): AsyncGenerator<readonly string[]>
  /** Removals that have not ended, of all processes. A project is among them until it is forgotten. */
  findInterrupted(): Promise<Interrupted[]>
  /** When a part of this project was last removed, as far as is known. */
  findLast(projectId: string): Promise<number | undefined>
  /** Removes the last row of a removed project. False if it is not being removed, or still has roots. */
  forgetProject(projectId: string): Promise<boolean>
}
