const PATHS = {
  yes: "M3 8.5 6.5 12 13 4.5",
  no: "M4 4l8 8M12 4l-8 8",
  unsure: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9 8 10M8 12.6v.2",
  missing: "M3.5 8h9",
  close: "M4 4l8 8M12 4l-8 8",
  download: "M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13h10",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
  sun: "M8 5.2A2.8 2.8 0 1 0 8 10.8 2.8 2.8 0 1 0 8 5.2M8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1",
  moon: "M13 9.4A5.6 5.6 0 0 1 6.6 3 5.6 5.6 0 1 0 13 9.4z",
  system: "M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13",
  open: "M5 3.5 9.5 8 5 12.5",
} as const;

export type IconName = keyof typeof PATHS;

/** A small drawing beside words that say the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
