/** Only said where it lasts: who waits for a moment need not hear of it. */
export function Waiting() {
  return (
    <p class="waiting" role="status">
      One moment…
    </p>
  )
}
