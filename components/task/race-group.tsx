"use client";

import { useQuery } from "@tanstack/react-query";
import { Trophy } from "lucide-react";
import { TaskGroup } from "@/components/task/task-group.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import type { Race } from "@/lib/lifecycle/races/race-schema.ts";
import { race } from "@/lib/web/client/tasks/tasks.ts";

/** The tasks of a race, which makes the same call on several servers, and the winner. */
export function RaceGroup({ raceId, taskId }: { raceId: string; taskId: string }) {
  const { data } = useQuery(race(raceId));
  if (!data) return null;
  return (
    <TaskGroup
      title="Race"
      note={NOTES[data.state]}
      tasks={data.tasks}
      shown={taskId}
      nameOf={({ server }) => server.name}
      aside={({ id }) =>
        id === data.winnerTaskId && (
          <Badge tone="good" icon={Trophy}>
            Winner
          </Badge>
        )
      }
    />
  );
}

const NOTES: Record<Race["state"], string> = {
  running: "The first success wins; the others are cancelled then.",
  won: "It is decided. What the others did before they were cancelled is not undone.",
  failed: "All have ended, none with success.",
};
