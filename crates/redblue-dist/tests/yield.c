/* More MPI processes than processors: those that wait give way. MPICH asks UCX for news again and again without a pause,
 * and has no setting for it, so a process that waits keeps a processor from the one it waits for. Preloaded, this file
 * yields whenever there is no news. An MPICH without UCX runs as it does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress)
        progress = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = progress(worker);
    if (!events)
        sched_yield();
    return events;
}
