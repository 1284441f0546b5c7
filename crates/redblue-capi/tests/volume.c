/* Counts what a part of a program moves between processes, whoever moves it: preloaded, it stands before MPI
   (profiling interface). The program says when to count, if this library is there:

       void volume_start(void);
       void volume_stop(long long *sent, long long *received);    bytes of this process; collective on the world

   Every message is counted where it is sent, for both ends, so that what a receiver was prepared for does not matter.
   Of collectives less than any implementation can move is counted, so that those who use them are not overcharged: a
   broadcast leaves its root once and reaches everybody else once, and that somebody has to pass it on is not counted at
   all; a reduction is the same backwards. Messages with the tags of redblue's control phase (from 6 * 4096 on) carry no
   words of matrices and are left out; ScaLAPACK has none of them. */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int counting, world_size, world_rank;
static long long sent, received;
static long long *to;

static long long bytes(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (long long)count * size;
}

static void message(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    MPI_Group group, world;
    int place;
    if (!counting || peer == MPI_PROC_NULL || tag >= 6 * 4096)
        return;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &peer, world, &place);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    if (place == world_rank)
        return;
    sent += bytes(count, type);
    to[place] += bytes(count, type);
}

void volume_start(void)
{
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    free(to);
    to = calloc(world_size, sizeof *to);
    sent = received = 0;
    PMPI_Barrier(MPI_COMM_WORLD);
    counting = 1;
}

void volume_stop(long long *out, long long *in)
{
    counting = 0;
    PMPI_Allreduce(MPI_IN_PLACE, to, world_size, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    *out = sent;
    *in = received + to[world_rank];
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    message(count, type, peer, tag, comm);
    return PMPI_Send(data, count, type, peer, tag, comm);
}

int MPI_Ssend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    message(count, type, peer, tag, comm);
    return PMPI_Ssend(data, count, type, peer, tag, comm);
}

int MPI_Rsend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    message(count, type, peer, tag, comm);
    return PMPI_Rsend(data, count, type, peer, tag, comm);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    message(count, type, peer, tag, comm);
    return PMPI_Isend(data, count, type, peer, tag, comm, request);
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int peer, int tag, void *into, int room,
                 MPI_Datatype their_type, int from, int their_tag, MPI_Comm comm, MPI_Status *status)
{
    message(count, type, peer, tag, comm);
    return PMPI_Sendrecv(data, count, type, peer, tag, into, room, their_type, from, their_tag, comm, status);
}

static int is(int root, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

/* One end of a broadcast or reduction: the root moves everything once at its end, each of the others once at the
   opposite end. */
static void fan(int count, MPI_Datatype type, int root, MPI_Comm comm, long long *at_root, long long *elsewhere)
{
    int size;
    PMPI_Comm_size(comm, &size);
    if (!counting || size == 1)
        return;
    if (is(root, comm))
        *at_root += bytes(count, type);
    else
        *elsewhere += bytes(count, type);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    fan(count, type, root, comm, &sent, &received);
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Reduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    fan(count, type, root, comm, &received, &sent);
    return PMPI_Reduce(data, into, count, type, op, root, comm);
}

int MPI_Allreduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    /* A reduction and a broadcast, in which nobody moves less than everything once each way. */
    if (counting && bytes(count, type) > 0) {
        int size;
        PMPI_Comm_size(comm, &size);
        sent += size > 1 ? bytes(count, type) : 0;
        received += size > 1 ? bytes(count, type) : 0;
    }
    return PMPI_Allreduce(data, into, count, type, op, comm);
}
