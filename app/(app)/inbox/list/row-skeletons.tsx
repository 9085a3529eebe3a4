/** The shape of rows while they load. */
export function RowSkeletons() {
  return (
    <div aria-hidden className="border-line border-t">
      {[85, 60, 75, 50, 70].map((width) => (
        <div key={width} className="flex h-[87px] flex-col gap-2 border-line border-b py-3.5 pr-4 pl-11">
          <div className="skeleton h-4" style={{ width: `${width}%` }} />
          <div className="skeleton h-3 w-1/2" />
          <div className="skeleton h-4 w-24" />
        </div>
      ))}
    </div>
  );
}
