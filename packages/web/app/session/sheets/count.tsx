// How many lines were added and removed.

interface CountProps {
  readonly added: number;
  readonly removed: number;
}

export function Count({ added, removed }: CountProps) {
  return (
    <span class="count mono">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}
