# How the scripts beside this one start MPI programs on more processes than there are processors, where those that wait
# must give way. Sourced with the name of the MPI, openmpi or mpich, and a folder for what is compiled. Sets `launch`,
# the command that starts programs, and `yielding`, a library that they have to preload, if any.
yielding=""
case $1 in
openmpi)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
    launch=(mpirun.openmpi --oversubscribe --bind-to none)
    ;;
mpich)
    launch=(mpirun.mpich)
    yielding=$2/yield.so
    cc -O1 -Wall -Wextra -shared -fPIC -o "$yielding" "$(dirname "${BASH_SOURCE[0]}")/yield.c" -ldl || exit 1
    ;;
*)
    echo "$(basename "$0"): unknown MPI $1" >&2
    exit 2
    ;;
esac
